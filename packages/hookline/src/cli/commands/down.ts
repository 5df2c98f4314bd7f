import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFolderFault, GATES_FILE, HUB_FILE, readGatesFile, readManaged, stateFolder } from "@hookline/core/internal/machine";
import { OPERATOR_FILE } from "../../hub/auth/read-operator-file.js";
import { takeHubLock } from "../../hub/lifecycle/hub-options.js";
import type { ApprovalsAnswer } from "../../hub/protocol.js";
import { findLockHolder, isLocked, readLockHolder } from "../../machine/lock.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { NoHubError, RESTART } from "../find-hub.js";
import { connectHub, type HubClient } from "../hub-client.js";
import type { Terminal } from "../terminal.js";
import { waitForOld } from "../up/wait-for-old.js";

const PATIENCE_MS = 15_000;
const FORCE_MS = 3_000;
const LOOK_EVERY_MS = 25;
/** The files that a killed hub leaves in its state folder. */
const LEFT_FILES = [HUB_FILE, OPERATOR_FILE, GATES_FILE];

export const command: CommandModule<{ readonly force?: boolean }> = {
  define(command) {
    command
      .option("--force", "end a hub that does not answer: SIGTERM first, then SIGKILL")
      .addHelpText("after", "\nAlso removes the files of a killed hub; until then, its guards deny every call.")
      .addHelpText("after", examples("hookline down", "hookline down --force"));
  },

  run: (terminal, { force = false }) => takeDown(terminal, force),
};

/** Stops the hub if one runs. `note`: what becomes of its events. */
export async function takeDown(terminal: Terminal, isForced: boolean, note = " Stored events are kept."): Promise<number> {
  if (readManaged() !== undefined)
    throw new CliError("The hub of this machine is managed: systemd starts and stops it.", {
      fix: { run: "sudo systemctl stop hookline" },
    });
  const state = stateFolder(terminal.env);
  const lock = join(state, "hub.lock");
  const hub = await connectHub(terminal.env).catch((error: unknown) => error as Error);
  if (!(hub instanceof Error)) return stop(hub, lock, terminal, note);
  if (!isLocked(lock)) return clear(state, terminal);
  if (isForced) return endByForce(state, lock, terminal);
  if (!(hub instanceof NoHubError)) throw hub;
  if (hub.absence === "silent") throw new CliError(hub.message, { exitCode: EXIT.notRunning, fix: { run: RESTART } });
  // It is starting or stopping.
  await waitForOld(terminal);
  return takeDown(terminal, isForced, note);
}

async function stop(hub: HubClient, lock: string, terminal: Terminal, note: string): Promise<number> {
  const { pid } = hub.file;
  const waiting = await countWaiting(hub);
  await hub.post("/api/stop");
  if (!(await isFreeWithin(lock, PATIENCE_MS)))
    throw new CliError(`The hub (process ${pid}) accepted the request, but did not stop within ${PATIENCE_MS / 1000} s.`, {
      fix: { run: "hookline down --force" },
    });
  terminal.say(`The hub (process ${pid}) has stopped.${note}`);
  if (waiting > 0) terminal.say(unanswered(waiting));
  return EXIT.ok;
}

/** A hub that cannot say how many calls wait is stopped anyway. */
async function countWaiting(hub: HubClient): Promise<number> {
  const one = new URLSearchParams({ limit: "1" });
  const { waiting } = await hub.get<Pick<ApprovalsAnswer, "waiting">>("/api/approvals", one).catch(() => ({ waiting: 0 }));
  return waiting;
}

function unanswered(count: number): string {
  return count === 1
    ? "1 call was waiting for a person and was not answered; the agent must ask again."
    : `${count} calls were waiting for a person and were not answered; the agents must ask again.`;
}

/** The lock is free, so no hub runs. The files of a killed hub would keep its guards denying calls. */
function clear(state: string, { say }: Terminal): number {
  const left = LEFT_FILES.filter((name) => existsSync(join(state, name)));
  if (left.length === 0) {
    say("No hub is running.");
    return EXIT.ok;
  }
  const fault = findFolderFault(state);
  if (fault !== undefined)
    throw new CliError(`The files in "${state}" were not removed, because the folder cannot be trusted: ${fault.reason}.`, {
      fix: fault.fix,
    });
  const closed = closedIn(state);
  const lock = takeHubLock(join(state, "hub.lock"));
  try {
    for (const name of left) rmSync(join(state, name), { force: true });
  } finally {
    lock.release();
  }
  say(`No hub is running. Removed the files of a killed hub from ${state}: ${left.join(", ")}.`);
  if (closed !== "") say(`No hub guards ${closed} any more. To guard them again: hookline up`);
  return EXIT.ok;
}

function closedIn(state: string): string {
  const found = readGatesFile(state);
  const gates = found.state === "found" ? found.file.gates.filter(({ onFailure }) => onFailure !== "open") : [];
  return gates.map(({ event }) => event).join(", ");
}

/** Only the process that holds the lock is the hub, whatever a file says, and its PID is valid only in this PID namespace. */
async function endByForce(state: string, lock: string, terminal: Terminal): Promise<number> {
  const pid = findLockHolder(lock);
  if (pid === undefined) throw unseen(lock);
  for (const [signal, patienceMs] of [
    ["SIGTERM", FORCE_MS],
    ["SIGKILL", PATIENCE_MS],
  ] as const) {
    process.kill(pid, signal);
    if (await isFreeWithin(lock, patienceMs)) {
      terminal.say(`The hub (process ${pid}) was ended by ${signal}. Acknowledged events are kept.`);
      return clear(state, terminal);
    }
  }
  throw new CliError(`Process ${pid} did not end.`, { fix: { run: `kill -9 ${pid}` } });
}

function unseen(lock: string): CliError {
  const noted = readLockHolder(lock);
  return new CliError(
    `The hub holds "${lock}", but its process is not visible here: it runs in another container, as process ${noted ?? "?"}. Stop it there.`,
  );
}

async function isFreeWithin(lock: string, ms: number): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(LOOK_EVERY_MS)) if (!isLocked(lock)) return true;
  return false;
}
