import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "@hookline/core/discover";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { connectHub } from "../hub-client.js";

const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 25;

export const command: CommandModule = {
  define(command) {
    command.addHelpText("after", examples("hookline down"));
  },

  async run(terminal) {
    const hub = await connectHub(terminal.env);
    const { pid } = hub.file;
    await hub.post("/api/stop");
    await waitUntilGone(pid);
    terminal.say(`The hub (process ${pid}) has stopped. What it stored is kept.`);
    return EXIT.ok;
  },
};

async function waitUntilGone(pid: number): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(LOOK_EVERY_MS)) if (!isAlive(pid)) return;
  throw new CliError(`The hub said it would stop, but process ${pid} is still there after ${PATIENCE_MS / 1000} s.`, {
    next: `kill ${pid}`,
  });
}
