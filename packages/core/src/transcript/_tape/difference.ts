import { canonicalJson } from "../_chain/seal.js";
import type { RerunResult } from "../rerun.js";
import { differenceAt, quoteAt } from "./compare.js";

const MAX_NAMED = 4;

/** In words, what came out differently; undefined when nothing did. */
export function describeDifference(recorded: RerunResult, now: RerunResult): string | undefined {
  const [then, today] = [asRecord(recorded), asRecord(now)];
  const keys = [...new Set([...Object.keys(then), ...Object.keys(today)])].sort(byWeight);
  const differences = keys.flatMap((key) => {
    const place = differenceAt(then[key], today[key], [key]);
    return place === undefined ? [] : [`${place.join(".")} was ${quoteAt(then, place)} and is ${quoteAt(today, place)}`];
  });
  if (differences.length === 0) return undefined;
  const more = differences.length > MAX_NAMED ? `; and ${differences.length - MAX_NAMED} more` : "";
  return `${differences.slice(0, MAX_NAMED).join("; ")}${more}.`;
}

// What matters most is named first.
const ORDER = ["error", "verdict", "out", "reason", "by", "cause"];

function byWeight(a: string, b: string): number {
  const weight = (key: string): number => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);
  return weight(a) - weight(b);
}

/** As it would stand on a tape, where what is undefined is not there. */
function asRecord(result: RerunResult): Record<string, unknown> {
  return JSON.parse(canonicalJson(result));
}
