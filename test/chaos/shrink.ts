import type { Outcome, Plan } from "./run-seed.ts";
import { isViolated } from "./run-seed.ts";

/** How often a schedule is run again in search of a shorter one. */
const MOST_RUNS = 30;

/** The shortest schedule found that still violates something: parts are left out, larger ones first, as long as it fails without them. */
export async function shrink(
  steps: readonly number[],
  run: (plan: Pick<Plan, "steps">) => Promise<Outcome>,
  say: (text: string) => void,
): Promise<readonly number[]> {
  let [kept, parts, runs] = [steps, 2, 0];
  while (kept.length > 1 && runs < MOST_RUNS) {
    const size = Math.ceil(kept.length / parts);
    let isShorter = false;
    for (let from = 0; from < kept.length && runs < MOST_RUNS; from += size) {
      const rest = kept.filter((_, index) => index < from || index >= from + size);
      if (rest.length === 0) continue;
      runs++;
      const isStill = isViolated(await run({ steps: rest }));
      say(`${isStill ? "still fails" : "passes"} with the steps ${rest.join(",")}`);
      if (!isStill) continue;
      [kept, isShorter] = [rest, true];
      break;
    }
    if (isShorter) parts = Math.max(2, parts - 1);
    else if (size === 1) break;
    else parts = Math.min(kept.length, parts * 2);
  }
  return kept;
}
