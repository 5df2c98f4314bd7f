import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, stateFolder } from "@hookline/core/discover";
import { readLockHolder } from "../../hub/lock-holder.js";
import { CliError } from "../cli-error.js";
import { type FoundHub, findHub } from "../find-hub.js";
import type { Terminal } from "../terminal.js";

const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 50;
/** One that was told to stop is mostly gone by then, and nobody need hear of it. */
const SILENT_MS = 300;

/** The process that keeps a new hub from starting: one that stops, or one that is just coming up. */
export function holderOf(env: NodeJS.ProcessEnv): number | undefined {
  const pid = readLockHolder(join(stateFolder(env), "hub.lock"));
  return pid !== undefined && isAlive(pid) ? pid : undefined;
}

/** Waits until the hub that has the lock can be found, for it was on its way up, or is gone: then there is none. Throws when neither happens. */
export async function waitForOld({ env, say }: Terminal): Promise<FoundHub | undefined> {
  const start = Date.now();
  for (let isSaid = false; Date.now() < start + PATIENCE_MS; await sleep(LOOK_EVERY_MS)) {
    const found = await findHub(env).catch(() => undefined);
    if (found !== undefined) return found;
    const pid = holderOf(env);
    if (pid === undefined) return undefined;
    if (isSaid || Date.now() < start + SILENT_MS) continue;
    say(waitingText(pid));
    isSaid = true;
  }
  throw new CliError(
    `Process ${holderOf(env) ?? "?"} holds the hub's lock, and has neither ended nor answered for ${PATIENCE_MS / 1_000} s.`,
    {
      next: "hookline down --force",
    },
  );
}

export function waitingText(pid: number): string {
  return `The hub with process ${pid} is stopping, or still starting; waiting for it …`;
}
