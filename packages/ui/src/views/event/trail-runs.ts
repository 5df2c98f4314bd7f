import type { Step } from "./unmatched.js";

/** Steps that did not match, one after the other in the same place, together; every other alone. */
export function runsOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const runs: Step[][] = [];
  for (const step of steps) {
    const last = runs.at(-1)?.[0];
    if (step.action === "no-match" && last?.action === "no-match" && last.actor.at === step.actor.at) runs.at(-1)?.push(step);
    else runs.push([step]);
  }
  return runs;
}
