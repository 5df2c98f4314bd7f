import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Judge } from "../judge.ts";
import { Crew, type Publisher } from "../processes.ts";
import type { Scenario } from "../scenario.ts";
import { claimsOf, judgeFresh, judgeHub } from "../settling.ts";

/** hub.json of a hub that was killed: its process gone, or its number given to another program. Said, not followed, and replaced. */
export const staleFile: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const judge = new Judge();
  const publishers: Publisher[] = [];
  let hub = await crew.startHub();
  for (const [round, isReused] of [false, true].entries()) {
    publishers.push(await crew.startPublisher({ name: `p${round}`, seed: seed + round, burst: 5, everyMs: 20 }));
    await publishers[round]?.member.ask("go");
    const { pid } = crew.hubFile();
    await hub.kill();
    const other = isReused ? spawn("sleep", ["60"], { stdio: "ignore" }) : undefined;
    try {
      if (other?.pid !== undefined) renumber(crew, other.pid);
      judge.happened(crew.hubFile().pid === (other?.pid ?? pid), "hub.json was left behind");
      const { code, stderr } = await crew.hookline("status").ended;
      judge.expect("own", code === 4, `status with a stale file: ${code} ${stderr}`);
      if (other?.pid !== undefined) await judgeAdvice(judge, crew, other.pid);
      hub = await crew.startHub();
      await judgeFresh(judge, crew, publishers[round] as Publisher, size === "full" ? performance.now() : undefined);
      judge.expect("own", other?.exitCode === null || other === undefined, "the other program was harmed");
    } finally {
      other?.kill("SIGKILL");
    }
  }
  await judgeHub(judge, crew, hub, await claimsOf(publishers));
  return judge.verdict("stale hub.json", seed);
};

function renumber(crew: Crew, pid: number): void {
  const path = join(crew.state, "hub.json");
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), pid }), { mode: 0o600 });
}

/** No command that mends it may end a program that only has the hub's old number. */
async function judgeAdvice(judge: Judge, crew: Crew, pid: number): Promise<void> {
  const { stdout } = await crew.hookline("doctor", "--json").ended;
  judge.expect("own", !new RegExp(`kill[^"]*\\b${pid}\\b`).test(stdout), `doctor advises to kill process ${pid}, which is no hub`);
}
