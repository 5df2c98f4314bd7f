import type { Envelope } from "../catalog/envelope.js";
import type { Sink } from "./sink.js";

/** The counters of one sink in a delivery. */
export interface DeliveryCounters {
  readonly sink: string;
  readonly sent: number;
  /** Threw, rejected, or answered anything but `sent`; nothing is tried twice here. */
  readonly failed: number;
}

/** Hands envelopes to sinks in order. */
export interface Delivery {
  /** Resolves once every sink has had the envelope. Never rejects. */
  deliver(envelope: Envelope): Promise<void>;
  /** One row per sink, in the order of the sinks. */
  readonly counters: readonly DeliveryCounters[];
}

/**
 * Gives each envelope to one sink after the other, and the next envelope only then: every sink sees the order of the `deliver` calls.
 * A failing sink costs the others nothing; one that never answers holds up all, so wrap it with a time limit.
 */
export function createDelivery(sinks: readonly Sink[]): Delivery {
  const lanes = sinks.map((sink) => ({ sink, counters: { sink: sink.name, sent: 0, failed: 0 } }));
  const { signal } = new AbortController();
  let turn: Promise<void> = Promise.resolve();

  async function deliverNow(envelope: Envelope): Promise<void> {
    for (const { sink, counters } of lanes) counters[(await trySend(sink, envelope, signal)) ? "sent" : "failed"]++;
  }

  function deliver(envelope: Envelope): Promise<void> {
    turn = turn.then(() => deliverNow(envelope));
    return turn;
  }
  return { deliver, counters: lanes.map((lane) => lane.counters) };
}

async function trySend(sink: Sink, envelope: Envelope, signal: AbortSignal): Promise<boolean> {
  try {
    const result = await sink.send([envelope], signal);
    return result.status === "sent";
  } catch {
    return false;
  }
}
