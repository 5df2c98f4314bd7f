import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stateFolder } from "@hookline/core/internal/machine";
import { isLocked, readLockHolder } from "../../machine/lock.js";
import { CliError } from "../cli-error.js";
import { type FoundHub, findHub, RESTART } from "../find-hub.js";
import type { Terminal } from "../terminal.js";

const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 50;
/** A hub that was told to stop has usually gone by then, so a message would be noise. */
const SILENT_MS = 300;

/** The process that holds the hub's lock: a hub that is stopping or starting. `undefined` if the lock is free. */
export function holderOf(env: NodeJS.ProcessEnv): string | undefined {
  const lock = join(stateFolder(env), "hub.lock");
  if (!isLocked(lock)) return undefined;
  const pid = readLockHolder(lock);
  return pid === undefined ? "another process" : `process ${pid}`;
}

/** Waits until the hub that holds the lock can be found (it was starting) or is gone (`undefined`). Throws if neither happens. */
export async function waitForOld({ env, say }: Terminal): Promise<FoundHub | undefined> {
  const start = Date.now();
  let holder: string | undefined;
  let why = "";
  for (let isSaid = false; Date.now() < start + PATIENCE_MS; await sleep(LOOK_EVERY_MS)) {
    const found = await findHub(env).catch((error: Error) => error);
    if (!(found instanceof Error)) return found;
    why = found.message;
    holder = holderOf(env);
    if (holder === undefined) return undefined;
    if (isSaid || Date.now() < start + SILENT_MS) continue;
    say(waitingText(holder));
    isSaid = true;
  }
  throw new CliError(`The hub's lock is held by ${holder}, which has neither ended nor answered within ${PATIENCE_MS / 1_000} s. ${why}`, {
    fix: { run: RESTART },
  });
}

export function waitingText(holder: string): string {
  return `The hub (${holder}) is stopping or starting; waiting for it …`;
}
