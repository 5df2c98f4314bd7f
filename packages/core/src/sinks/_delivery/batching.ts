import { type Envelope, encodeEnvelope } from "../../catalog/envelope.js";
import type { SendResult, Sink } from "../sink.js";

/** Options of `withBatching`. */
export interface BatchOptions {
  /** Default 500. */
  readonly maxCount?: number;
  /** Default 1 MiB; an envelope that is larger goes alone. */
  readonly maxBytes?: number;
  /** How long the first of a batch waits for company. Default 0: only what comes in the same turn of the event loop. */
  readonly maxDelayMs?: number;
}

export type BatchLimits = Required<BatchOptions>;

export function readBatchOptions(options: BatchOptions = {}): BatchLimits {
  return { maxCount: options.maxCount ?? 500, maxBytes: options.maxBytes ?? 1024 * 1024, maxDelayMs: options.maxDelayMs ?? 0 };
}

interface Call {
  readonly batch: readonly Envelope[];
  readonly bytes: number;
  readonly signal: AbortSignal;
  readonly resolve: (result: SendResult) => void;
}

/** Joins what is sent in small pieces into batches, one after the other, in order. A caller's piece is never divided: its result is that of its batch. */
export function withBatching(sink: Sink, options: BatchOptions = {}): Sink {
  const limits = readBatchOptions(options);
  let waiting: Call[] = [];
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();

  function send(batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult> {
    return new Promise((resolve) => {
      const call = { batch, bytes: bytesOf(batch), signal, resolve };
      if (!fits(call)) release();
      waiting.push(call);
      // Keeps the process alive: a caller awaits the result.
      timer ??= setTimeout(release, limits.maxDelayMs);
    });
  }

  function fits({ batch, bytes }: Call): boolean {
    const count = waiting.reduce((sum, call) => sum + call.batch.length, batch.length);
    return count <= limits.maxCount && waiting.reduce((sum, call) => sum + call.bytes, bytes) <= limits.maxBytes;
  }

  function release(): void {
    clearTimeout(timer);
    timer = undefined;
    const calls = waiting;
    waiting = [];
    if (calls.length > 0) turn = turn.then(() => sendTogether(sink, calls));
  }

  async function close(): Promise<void> {
    release();
    await turn;
    await sink.close();
  }
  return { name: sink.name, send, close };
}

async function sendTogether(sink: Sink, calls: readonly Call[]): Promise<void> {
  const live = calls.filter(({ signal }) => !signal.aborted);
  for (const { signal, resolve } of calls) if (signal.aborted) resolve({ status: "retry", cause: signal.reason });
  if (live.length === 0) return;
  // One caller that gives up must not take the batch from the others.
  const signal = live.length === 1 ? (live[0] as Call).signal : new AbortController().signal;
  let result: SendResult;
  try {
    const batch = live.flatMap((call) => call.batch);
    result = await sink.send(batch, signal);
  } catch (cause) {
    result = { status: "failed", cause };
  }
  for (const { resolve } of live) resolve(result);
}

function bytesOf(batch: readonly Envelope[]): number {
  return batch.reduce((sum, envelope) => sum + Buffer.byteLength(encodeEnvelope(envelope)) + 1, 0);
}
