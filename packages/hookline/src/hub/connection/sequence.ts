import type { Envelope } from "@hookline/core/sinks";

/** Sources whose numbers are remembered; the longest silent go first. */
const MAX_SOURCES = 10_000;

export interface Sequences {
  see(envelope: Envelope): void;
  gapsOf(instance: string): number;
}

/** Watches the numbers of each source for gaps, also over reconnects: a gap is an event that its source dropped, and counted. */
export function createSequences(): Sequences {
  const seen = new Map<string, { last: number; gaps: number }>();

  function see({ seq, source: { instance } }: Envelope): void {
    if (seq === 0) return;
    const record = seen.get(instance);
    if (record === undefined) return start(instance, seq);
    // What was sent again after a reconnect has a number from before.
    if (seq <= record.last) return;
    record.gaps += seq - record.last - 1;
    record.last = seq;
  }

  // The hub may have started after its source: it cannot know of events before that.
  function start(instance: string, seq: number): void {
    if (seen.size >= MAX_SOURCES) seen.delete(seen.keys().next().value as string);
    seen.set(instance, { last: seq, gaps: 0 });
  }

  return { see, gapsOf: (instance) => seen.get(instance)?.gaps ?? 0 };
}
