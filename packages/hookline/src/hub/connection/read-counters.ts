import type { ForwarderCounters } from "@hookline/core/internal/wire";

/** A forwarder's own counters; nothing if they are malformed. */
export function readCounters(frame: { readonly [key: string]: unknown }): ForwarderCounters | undefined {
  const { accepted, acked, pending, dropped, seq } = frame;
  if (!isCount(accepted) || !isCount(acked) || !isCount(pending) || !isCount(seq)) return undefined;
  if (typeof dropped !== "object" || dropped === null) return undefined;
  const reasons = Object.entries(dropped).filter(([reason, count]) => /^\w{1,40}$/.test(reason) && isCount(count));
  return { accepted, acked, pending, dropped: Object.fromEntries(reasons.slice(0, 32)), seq };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
