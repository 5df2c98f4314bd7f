import { existsSync } from "node:fs";
import { join } from "node:path";
import { configureGuard } from "../guard.ts";
import { Judge } from "../judge.ts";
import { freeze, thaw } from "../nemesis.ts";
import { Crew, type Member } from "../processes.ts";
import type { Scenario } from "../scenario.ts";

/** Processes that start while the hub is frozen, after it was killed and after it was taken down: a closed guard is closed for them, too. */
export const lateStart: Scenario = async (seed) => {
  await using crew = new Crew();
  const judge = new Judge();
  configureGuard(crew, 300);
  let hub = await crew.startHub();
  // The guard has 300 ms: on a loaded machine the first call may be denied for that.
  await judgeOpen(judge, (await begin(crew)).member, "the hub came up");

  judge.happened(await freeze(hub), "the hub stands still");
  const frozen = await begin(crew);
  judgeShut(judge, frozen, "while the hub was frozen");
  thaw(hub);
  await judgeOpen(judge, frozen.member, "the hub went on");

  await hub.kill();
  judge.happened(existsSync(join(crew.state, "hub.json")), "hub.json was left behind");
  const killed = await begin(crew);
  judgeShut(judge, killed, "after the hub was killed");
  hub = await crew.startHub();
  await judgeOpen(judge, killed.member, "another hub came up");

  await hub.kill();
  const waiting = await begin(crew);
  judgeShut(judge, waiting, "after the second hub was killed");
  const down = await crew.hookline("down").ended;
  judge.expect("own", down.code === 0, `hookline down: ${down.code} ${down.stderr}`);
  for (const name of ["hub.json", "gates.json"]) judge.expect("own", !existsSync(join(crew.state, name)), `${name} is there after down`);
  judge.expect("own", (await begin(crew)).verdict === "pass", "there is no hub any more, and a call was not let through");
  await judgeOpen(judge, waiting.member, "hookline down");
  return judge.verdict("late start", seed);
};

function begin(crew: Crew) {
  return crew.startCaller({ first: "fine 0" });
}

function judgeShut(judge: Judge, { verdict, reason = "", reports }: Awaited<ReturnType<typeof begin>>, when: string): void {
  judge.expect("I7", verdict === "deny", `the first call of a process passed ${when}: ${verdict}`);
  for (const command of ["hookline up", "hookline down"])
    judge.expect("own", reason.includes(command), `the reason does not name "${command}", ${when}: ${reason}`);
  judge.expect("own", reports.length > 0, `nothing was reported ${when}`);
}

/** The process goes on by itself, even if it was denied. */
async function judgeOpen(judge: Judge, member: Member, after: string): Promise<void> {
  const end = performance.now() + 30_000;
  let verdict = "";
  while (verdict !== "pass" && performance.now() < end)
    ({ verdict } = await member.ask<{ verdict: string }>("call", { command: "fine 1" }));
  judge.expect("I9", verdict === "pass", `a process is denied for good after ${after}: ${verdict}`);
}
