import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, readHubFile, stateFolder } from "@hookline/core/discover";
import { takeLock } from "../../hub/lock.js";
import type { ApprovalsAnswer } from "../../hub/protocol.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { connectHub, type HubClient } from "../hub-client.js";
import type { Terminal } from "../terminal.js";

const PATIENCE_MS = 15_000;
const FORCE_MS = 3_000;
const LOOK_EVERY_MS = 25;

export const command: CommandModule<{ readonly force?: boolean }> = {
  define(command) {
    command
      .option("--force", "end one that does not answer: first asked by a signal, then killed")
      .addHelpText("after", examples("hookline down", "hookline down --force"));
  },

  async run(terminal, { force = false }) {
    const hub = await connectHub(terminal.env).catch((error: unknown) => {
      if (!force) throw error;
    });
    if (hub === undefined) return endByForce(terminal);
    const { pid } = hub.file;
    const waiting = await countWaiting(hub);
    await hub.post("/api/stop");
    await waitUntilGone(pid);
    terminal.say(`The hub (process ${pid}) has stopped. What it stored is kept.`);
    if (waiting > 0) terminal.say(unanswered(waiting));
    return EXIT.ok;
  },
};

/** It is stopped also where it cannot say. */
async function countWaiting(hub: HubClient): Promise<number> {
  const { approvals } = await hub.get<ApprovalsAnswer>("/api/approvals").catch(() => ({ approvals: [] }));
  return approvals.length;
}

function unanswered(count: number): string {
  return count === 1
    ? "1 call waited for a person, and was not answered: the agent has to ask again."
    : `${count} calls waited for a person, and were not answered: the agents have to ask again.`;
}

/** Only a process that holds the hub's lock is the hub, whatever a file says. */
async function endByForce({ env, say }: Terminal): Promise<number> {
  const state = stateFolder(env);
  const found = readHubFile(state);
  const pid = "file" in found ? found.file?.pid : undefined;
  if (pid === undefined || !isAlive(pid) || !isLocked(join(state, "hub.lock"))) {
    say("No hub is running.");
    return EXIT.ok;
  }
  for (const [signal, patienceMs] of [
    ["SIGTERM", FORCE_MS],
    ["SIGKILL", PATIENCE_MS],
  ] as const) {
    process.kill(pid, signal);
    if (await isGoneWithin(pid, patienceMs)) {
      say(`The hub (process ${pid}) was ended by ${signal}. What it had acknowledged is kept.`);
      return EXIT.ok;
    }
  }
  throw new CliError(`Process ${pid} does not end.`, { next: `kill -9 ${pid}` });
}

function isLocked(path: string): boolean {
  try {
    takeLock(path).release();
    return false;
  } catch {
    return true;
  }
}

async function isGoneWithin(pid: number, ms: number): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(LOOK_EVERY_MS)) if (!isAlive(pid)) return true;
  return false;
}

async function waitUntilGone(pid: number): Promise<void> {
  if (await isGoneWithin(pid, PATIENCE_MS)) return;
  throw new CliError(`The hub said it would stop, but process ${pid} is still there after ${PATIENCE_MS / 1000} s.`, {
    next: "hookline down --force",
  });
}
