import { useRef } from "preact/hooks";

interface Reading {
  readonly at: number;
  readonly count: number;
}

const MIN_MS = 500;

/** How fast counters grow, per second, since they were last read. */
export function useRates(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const kept = useRef(new Map<string, Reading>());
  const rates = useRef(new Map<string, number>());
  const at = performance.now();
  for (const [key, count] of counts) {
    const before = kept.current.get(key);
    if (before !== undefined && (at - before.at < MIN_MS || count < before.count)) continue;
    if (before !== undefined) rates.current.set(key, ((count - before.count) * 1_000) / (at - before.at));
    kept.current.set(key, { at, count });
  }
  return rates.current;
}

export function rateText(perSecond: number | undefined): string {
  if (perSecond === undefined) return "–";
  return `${perSecond < 10 ? perSecond.toFixed(1) : perSecond.toFixed(0)}/s`;
}
