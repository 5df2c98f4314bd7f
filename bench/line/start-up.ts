import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { atMost, type Finding, type Measurement } from "./measurement.ts";
import type { HubMethods } from "./processes/hub.ts";
import { interleave, median, ratios } from "./statistics.ts";

const ROUNDS = 25;
const main = fileURLToPath(new URL("../../packages/hookline/dist/cli/main.js", import.meta.url));

/** How long a command takes that does next to nothing, against Node that does nothing. */
export const startUp: Measurement = {
  name: "start-up",
  async run(sandbox, say) {
    const hub = await sandbox.start<HubMethods>("hub");
    await hub.ask("info");
    const without = { ...sandbox.env, XDG_STATE_HOME: `${sandbox.folder}/none`, XDG_RUNTIME_DIR: "" };
    const command = (args: readonly string[], env: NodeJS.ProcessEnv, exitCode: number) => async (round: number) => {
      if (round % 5 === 0) say(`round ${round + 1} of ${ROUNDS}`);
      return timeCommand(args, env, exitCode);
    };
    const samples = await interleave(ROUNDS, {
      node: command(["-e", "0"], sandbox.env, 0),
      help: command([main, "--help"], sandbox.env, 0),
      status: command([main, "status"], sandbox.env, 0),
      stopped: command([main, "status"], without, 4),
    });
    const node = samples("node");
    const finding = (name: string, what: string, limit: number): Finding => {
      const value = median(ratios(samples(name), node));
      const measured = `${value.toFixed(2)}× (${median(samples(name)).toFixed(0)} ms)`;
      return atMost(limit, value, {
        row: "command line",
        what,
        measured,
        target: `at most ${limit}× node -e 0`,
        beside: `node -e 0: ${median(node).toFixed(0)} ms`,
      });
    };
    return [
      finding("help", "hookline --help", 3),
      finding("status", "hookline status, hub running", 2),
      finding("stopped", "hookline status, no hub", 2),
    ];
  },
};

function timeCommand(args: readonly string[], env: NodeJS.ProcessEnv, exitCode: number): number {
  const start = performance.now();
  const { status } = spawnSync(process.execPath, args, { env, stdio: "ignore", timeout: 20_000 });
  const ms = performance.now() - start;
  if (status !== exitCode) throw new Error(`"${args.join(" ")}" ended with ${status}, not ${exitCode}.`);
  return ms;
}
