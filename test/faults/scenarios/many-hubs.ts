import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Judge } from "../judge.ts";
import { createRandom } from "../oracle.ts";
import { Crew, type Ending, type Member, until } from "../processes.ts";
import type { Scenario } from "../scenario.ts";

const ROUNDS = { short: [2, 5], full: [2, 5, 2, 5, 2, 5, 2, 5] };

/** Hubs that start at the same moment, on a clean folder and on what a killed one left: one runs, the others say where it is. */
export const manyHubs: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const [judge, random] = [new Judge(), createRandom(seed)];
  for (const [round, count] of ROUNDS[size].entries()) {
    const hubs: Member[] = [];
    for (let index = 0; index < count; index++) {
      hubs.push(crew.hookline("up", "--port", "0"));
      await pause(random.pick([0, 0, random.between(0, 120)]));
    }
    await until("all but one have ended", () => hubs.filter(({ isRunning }) => isRunning).length <= 1);
    const [winner, ...more] = hubs.filter(({ isRunning }) => isRunning);
    judge.expect("own", winner !== undefined && more.length === 0, `round ${round}: ${1 + more.length} of ${count} hubs run`);
    const losers = await Promise.all(hubs.filter((hub) => hub !== winner).map(({ ended }) => ended));
    const refusal = await crew.startHub().then(
      () => "a second hub runs",
      (error: Error) => error.message,
    );
    judge.expect("own", refusal === "HL_HUB_RUNNING", `startHub beside a hub: ${refusal}`);
    if (winner !== undefined) await judgeRound(judge, crew, winner, losers);
    // A clean end in one round, a mess to clear up in the next.
    await winner?.kill(round % 2 === 0 ? "SIGKILL" : "SIGTERM");
    judge.happened(existsSync(join(crew.state, "hub.json")) === (round % 2 === 0), "a killed hub leaves its file, and only that one");
  }
  return judge.verdict("hubs at once", seed);
};

async function judgeRound(judge: Judge, crew: Crew, winner: Member, losers: readonly Ending[]): Promise<void> {
  const { pid, url } = crew.hubFile();
  judge.expect("own", pid === winner.pid, `hub.json is of ${pid}, and ${winner.pid} runs`);
  const { status } = await crew.get<{ status: string }>("/api/hooks/health");
  judge.expect("own", status === "ok", `the one that runs says ${status}`);
  for (const { code, stdout, stderr } of losers) {
    judge.expect("own", code === 0, `one that came second ended with ${code}: ${stderr.slice(-300)}`);
    judge.expect("own", (stdout + stderr).includes(url), `one that came second does not say where the first is: ${stderr.slice(-300)}`);
  }
}
