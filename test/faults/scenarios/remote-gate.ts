import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { configureGuard } from "../guard.ts";
import { Judge } from "../judge.ts";
import { freeze, thaw } from "../nemesis.ts";
import { createRandom } from "../oracle.ts";
import { Crew, type Member, until } from "../processes.ts";
import type { Scenario } from "../scenario.ts";

const ROUNDS = { short: 1, full: 6 };

interface Counts {
  readonly asked: number;
  readonly allowed: number;
  readonly denied: { readonly [cause: string]: number };
}

/** A closed guard in the hub while the hub is killed, frozen and restarted: no call passes that the guard has not seen and let pass. */
export const remoteGate: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const [judge, random] = [new Judge(), createRandom(seed)];
  const log = configureGuard(crew, 300);
  let hub = await crew.startHub();
  const caller = crew.start("caller");
  await caller.ask("ready");
  await caller.ask("go");
  for (let round = 0; round < ROUNDS[size]; round++) {
    await goesOn(caller);
    judge.happened(await freeze(hub), "the hub stands still");
    await judgeShut(judge, caller, "frozen");
    thaw(hub);
    await goesOn(caller);
    await pause(random.between(0, 200));
    await hub.kill();
    await judgeShut(judge, caller, "killed");
    hub = await crew.startHub();
  }
  const since = performance.now();
  await goesOn(caller);
  const ms = Math.round(performance.now() - since);
  judge.expect("I9", size === "short" || ms <= 5_000, `calls went on only ${ms} ms after the hub was back`);
  const { asked, allowed, denied } = await caller.ask<{ asked: number; allowed: string[]; denied: Counts["denied"] }>("stop");
  const seen = new Set(readFileSync(log, "utf8").split("\n"));
  judge.look("I7", asked, [
    ...allowed.filter((command) => command.startsWith("forbidden")).map((command) => `"${command}" passed`),
    ...allowed.filter((command) => !seen.has(command)).map((command) => `"${command}" passed, and the guard never saw it`),
  ]);
  judge.note(`${asked} calls, ${allowed.length} allowed; denied: ${JSON.stringify(denied)}; going on ${ms} ms after the last restart`);
  return judge.verdict("remote gate", seed);
};

/** Calls are allowed again. */
async function goesOn(caller: Member): Promise<void> {
  const { allowed } = await caller.ask<Counts>("counts");
  await until("calls go on", async () => (await caller.ask<Counts>("counts")).allowed > allowed + 5);
}

/** While there is no answer, calls are denied one after the other, and none passes. */
async function judgeShut(judge: Judge, caller: Member, how: string): Promise<void> {
  // What the hub had answered before may still be on its way.
  await pause(100);
  const before = await caller.ask<Counts>("counts");
  await until(`calls fail (${how})`, async () => failures(await caller.ask<Counts>("counts")) > failures(before) + 10);
  const after = await caller.ask<Counts>("counts");
  judge.look(
    "I7",
    failures(after) - failures(before),
    after.allowed === before.allowed ? [] : [`${after.allowed - before.allowed} calls passed, hub ${how}`],
  );
}

/** Those that were denied for want of an answer. */
function failures({ denied }: Counts): number {
  return Object.entries(denied).reduce((sum, [cause, count]) => (cause === "rule" ? sum : sum + count), 0);
}
