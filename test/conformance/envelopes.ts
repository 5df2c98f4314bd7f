import type { Envelope } from "@hookline/core/sinks";

let made = 0;

/** Envelopes that no other call has made. */
export function batchOf(count: number, payloadOf: (index: number) => unknown = (index) => ({ index })): Envelope[] {
  return Array.from({ length: count }, (_, index) => ({
    v: 2,
    id: `conformance-${String(++made).padStart(8, "0")}`,
    seq: made,
    at: "2026-01-01T00:00:00.000Z",
    event: "myapp:counted",
    source: { app: "conformance", host: "here", pid: 1, instance: "i1" },
    session: { id: "s1" },
    payload: payloadOf(index),
    hops: [],
  }));
}

export function idsOf(batch: readonly Envelope[]): string[] {
  return batch.map(({ id }) => id);
}

/** Text that comes out changed, or in two pieces, where lines or bytes are handled carelessly. */
export const textsThatBreakLines: readonly string[] = [
  "a\nb",
  "a\r\nb",
  "\u2028\u2029\u0085",
  "\0",
  '"}\n{"v":1}',
  "🪝 héllo 漢字",
  "\ufeff",
  "\ud800 alone",
  "</script>",
  "\u001b[31mred",
];
