import { setTimeout as pause } from "node:timers/promises";
import { Judge } from "../judge.ts";
import { freeze, thaw } from "../nemesis.ts";
import { Crew, type Member, until } from "../processes.ts";
import type { Scenario } from "../scenario.ts";

const ROUNDS = { short: 1, full: 6 };
const LEASE_MS = 1_000;

interface Counts {
  readonly local: number;
  readonly asked: number;
  readonly denied: number;
  readonly lastLocal: string;
  readonly lastPassed: string;
}

/**
 * A process lets calls pass that no rule concerns, until a rule does. The policy changes while the process stands still, and while the hub does: once the
 * hub says that the change is in force, no call passes that it forbids, and without the hub nothing passes for longer than a lease.
 */
export const lease: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const judge = new Judge();
  const forbidden: string[] = ["deploy"];
  const forbid = (tool: string): void => {
    forbidden.push(tool);
    crew.configure(
      forbidden
        .map((name) => `[[rule]]\nname = "no-${name}"\nevent = "tool:before"\ntool = "${name}"\ndo = "block"\nmessage = "no"\n`)
        .join("\n"),
    );
  };
  forbid("release");
  const hub = await crew.startHub();
  const passer = crew.start("passer");
  await passer.ask("ready");
  await use(passer, "tool-0");
  await passer.ask("go");
  let total = 0;
  for (let round = 0; round < ROUNDS[size]; round++) {
    const [first, second] = [`tool-${round * 2}`, `tool-${round * 2 + 1}`];
    await passesAlone(passer);
    judge.happened(await freeze(passer), "the process stands still");
    forbid(first);
    await hub.ask("reload");
    const inForce = process.hrtime.bigint();
    thaw(passer);
    total += await judgeForbidden(judge, passer, inForce, "the process stood still");

    await use(passer, second);
    await passesAlone(passer);
    const before = process.hrtime.bigint();
    judge.happened(await freeze(hub), "the hub stands still");
    const frozen = process.hrtime.bigint();
    const ends = frozen + BigInt(LEASE_MS) * 1_000_000n;
    await until("calls fail", async () => (await counts(passer)).denied > 3);
    const { lastLocal } = await counts(passer);
    judge.expect("I7", BigInt(lastLocal) <= ends, `a call passed ${(BigInt(lastLocal) - before) / 1_000_000n} ms after the hub was frozen`);
    forbid(second);
    thaw(hub);
    await hub.ask("reload");
    const again = process.hrtime.bigint();
    total += await judgeForbidden(judge, passer, again, "the hub stood still");
    await use(passer, `tool-${round * 2 + 2}`);
  }
  judge.note(`${total} calls passed without a question before they were forbidden`);
  return judge.verdict("lease", seed);
};

function counts(passer: Member): Promise<Counts> {
  return passer.ask<Counts>("counts");
}

function use(passer: Member, name: string): Promise<unknown> {
  return passer.ask("use", { name });
}

/** The process acts on a lease. */
function passesAlone(passer: Member): Promise<void> {
  return until("calls pass without a question", async () => (await counts(passer)).local > 200);
}

/** No call passes that began after the change was in force; gives how many passed alone before. */
async function judgeForbidden(judge: Judge, passer: Member, inForce: bigint, when: string): Promise<number> {
  const { denied } = await counts(passer);
  await until("calls are denied", async () => (await counts(passer)).denied > denied + 20);
  await pause(300);
  const { lastPassed, local } = await counts(passer);
  judge.expect(
    "I7",
    BigInt(lastPassed) <= inForce,
    `${when}: a call passed that began ${(BigInt(lastPassed) - inForce) / 1_000n} µs after the change was in force`,
  );
  return local;
}
