export { median } from "../measure.ts";

/** Microseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

export function latencyOf(times: Float64Array): Latency {
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/** The value below which that share of the values lies. Sorts in place, because there may be very many. */
function quantile(values: Float64Array, share: number): number {
  values.sort();
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
}

/** Runs each contender once in every round, in rotating order, so that a slow moment of the machine hits them all. */
export async function interleave<T>(rounds: number, contenders: { readonly [name: string]: (round: number) => Promise<T> }) {
  const names = Object.keys(contenders);
  const samples: Record<string, T[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length] as string;
      const sample = await contenders[name]?.(round);
      if (sample !== undefined) samples[name]?.push(sample);
    }
  }
  return (name: string): readonly T[] => samples[name] ?? [];
}

/** One number per round: the first of the round through the second of the same round. */
export function ratios(first: readonly number[], second: readonly number[]): number[] {
  return first.map((value, round) => value / (second[round] ?? Number.NaN));
}
