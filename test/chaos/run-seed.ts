import { isGood, Judge, type Verdict } from "../faults/judge.ts";
import { happened } from "./fault.ts";
import { judgeWorld } from "./judge-world.ts";
import { randomOf, type Step, stepAt } from "./schedule.ts";
import { World } from "./world.ts";

export interface Plan {
  readonly seed: number;
  /** These steps and no others. */
  readonly steps?: readonly number[];
  /** Until as many processes were killed, or so much time has passed. */
  readonly kills?: number;
  readonly untilMs?: number;
}

export interface Outcome {
  readonly verdict: Verdict;
  readonly kills: number;
  readonly cuts: number;
  readonly events: number;
  readonly steps: readonly Step[];
  /** What could not happen on this machine, and why. */
  readonly leftOut: ReadonlySet<string>;
  /** How often each fault happened. */
  readonly faults: ReadonlyMap<string, number>;
}

/** Every so many seeds the clock can jump: a clock that can makes all programs slower. */
const CLOCK_EVERY = 5;

/** One world, broken by the steps of one seed, and judged. */
export async function runSeed(plan: Plan, say: (text: string) => void): Promise<Outcome> {
  const { seed } = plan;
  const judge = new Judge();
  const tally = { kills: 0, cuts: 0, events: 0, steps: [] as Step[], leftOut: new Set<string>(), faults: new Map<string, number>() };
  try {
    await using world = await World.start({ seed, hasClock: seed % CLOCK_EVERY === 0 });
    const began = performance.now();
    for (let index = 0; isToGoOn(plan, index, tally, performance.now() - began); index++) {
      if (plan.steps?.includes(index) === false) continue;
      const step = stepAt(seed, index);
      tally.steps.push(step);
      say(`${index}: ${step.faults.map(({ name }) => name).join(" + ")}`);
      await Promise.all(step.faults.map((fault, number) => act(fault, { world, judge, random: randomOf(seed, index, number + 1) }, tally)));
      happened(world.hub.isRunning, `the hub runs after step ${index}`);
    }
    say("the end");
    tally.events = (await judgeWorld(judge, world)).events;
  } catch (error) {
    // A run that breaks down has proved nothing.
    judge.happened(false, `it broke down: ${error instanceof Error ? error.stack : error}`);
  }
  const { kills, cuts, events, steps, leftOut, faults } = tally;
  return { verdict: judge.verdict(`seed ${seed}`, seed), kills, cuts, events, steps, leftOut, faults };
}

export function isViolated({ verdict }: Outcome): boolean {
  return !isGood(verdict);
}

type Tally = { kills: number; cuts: number; leftOut: Set<string>; faults: Map<string, number> };

function isToGoOn({ steps, kills, untilMs }: Plan, index: number, tally: Tally, ms: number): boolean {
  if (steps !== undefined) return index <= Math.max(...steps);
  if (untilMs !== undefined && ms >= untilMs) return false;
  return kills === undefined || tally.kills < kills || tally.cuts < 2;
}

async function act(fault: Step["faults"][number], scene: Parameters<Step["faults"][number]["act"]>[0], tally: Tally): Promise<void> {
  const why = fault.missing?.(scene.world);
  if (why !== undefined) return void tally.leftOut.add(`${fault.name}: ${why}`);
  await fault.act(scene);
  tally.kills += fault.kills ?? 0;
  tally.cuts += fault.cuts ?? 0;
  tally.faults.set(fault.name, (tally.faults.get(fault.name) ?? 0) + 1);
}
