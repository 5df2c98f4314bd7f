import { checkOptions, label, positiveCount } from "../../bus/option-rules.js";
import type { Envelope } from "../../catalog/envelope.js";
import type { SendResult, Sink } from "../sink.js";
import { closedResult } from "../sink.js";
import { defineSink, type SinkOptionTable } from "../sink-definition.js";

/** Options of `createMemorySink`. */
export interface MemorySinkOptions {
  readonly name?: string;
  /** How many envelopes it keeps: the newest. Default 10,000. */
  readonly limit?: number;
}

/** A sink that keeps the newest envelopes in memory. */
export interface MemorySink extends Sink {
  /** What it holds, oldest first. Stays readable after `close`. */
  readonly envelopes: readonly Envelope[];
  readonly counters: {
    readonly sent: number;
    /** Let go to stay within `limit`. */
    readonly dropped: number;
  };
}

/** A sink that keeps envelopes in memory: for tests and for looking at the last few. */
export function createMemorySink(options: MemorySinkOptions = {}): MemorySink {
  checkOptions("createMemorySink", options, optionTable);
  const { name = "memory", limit = 10_000 } = options;
  const envelopes: Envelope[] = [];
  const counters = { sent: 0, dropped: 0 };

  let isClosed = false;

  async function send(batch: readonly Envelope[]): Promise<SendResult> {
    if (isClosed) return closedResult(name);
    for (const envelope of batch) envelopes.push(envelope);
    const surplus = Math.max(0, envelopes.length - limit);
    envelopes.splice(0, surplus);
    counters.sent += batch.length;
    counters.dropped += surplus;
    return { status: "sent" };
  }
  async function close(): Promise<void> {
    isClosed = true;
  }
  return { name, envelopes, counters, send, close };
}

const optionTable: SinkOptionTable<MemorySinkOptions> = {
  name: label,
  limit: { ...positiveCount, kind: "count", what: "How many events it keeps: the newest.", default: "10,000" },
};

export const memorySink = defineSink<MemorySinkOptions>({
  type: "memory",
  what: "Keeps the newest events in memory. It is for trying things out.",
  options: optionTable,
  create: createMemorySink,
});
