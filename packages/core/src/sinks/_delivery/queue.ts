import { type Envelope, encodeEnvelope } from "../../catalog/envelope.js";
import { HookError } from "../../catalog/errors.js";
import { ClassLanes, type Ranked, rankOf } from "../class-lanes.js";
import type { SendResult, Sink } from "../sink.js";
import { type BatchLimits, type BatchOptions, readBatchOptions } from "./batching.js";
import { DropLedger, reasonOf, type SinkCounters } from "./counters.js";

interface Waiting extends Ranked {
  readonly envelope: Envelope;
}

/** The producer's end of a sink: `push` never waits and never throws. */
export class QueuedSink {
  readonly name: string;
  readonly #sink: Sink;
  readonly #limits: { readonly maxCount: number; readonly maxBytes: number; readonly overflow: Overflow };
  readonly #batch: BatchLimits;
  readonly #onResult: ((result: SendResult) => void) | undefined;
  readonly #lanes = new ClassLanes<Waiting>();
  readonly #ledger = new DropLedger();
  readonly #stop = new AbortController();
  #inFlight: readonly Waiting[] = [];
  #sending: readonly Envelope[] = [];
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #order = 0;
  #isClosed = false;

  constructor(sink: Sink, options: QueueOptions) {
    this.name = sink.name;
    this.#sink = sink;
    const { maxCount = 10_000, maxBytes = 16 * 1024 * 1024, overflow = "drop-oldest" } = options;
    this.#limits = { maxCount, maxBytes, overflow };
    this.#batch = readBatchOptions(options.batch);
    this.#onResult = options.onResult;
  }

  get isFull(): boolean {
    return this.#lanes.size >= this.#limits.maxCount || this.#lanes.bytes >= this.#limits.maxBytes;
  }

  get counters(): SinkCounters {
    return this.#ledger.snapshot(this.#lanes.size + this.#inFlight.length);
  }

  /** Takes an envelope; `false` when there was no room for it, or, under `block`, when there is none for the next. */
  push(envelope: Envelope, bytes: number = Buffer.byteLength(encodeEnvelope(envelope))): boolean {
    this.#ledger.accepted++;
    if (this.#isClosed) return this.#refuse("closed");
    const rank = rankOf(envelope.event);
    if (this.#limits.overflow !== "block") {
      if (bytes > this.#limits.maxBytes) return this.#refuse("too_large");
      if (!this.#makeRoom(rank, bytes)) return this.#refuse("queue_full");
    }
    this.#lanes.push({ envelope, bytes, order: ++this.#order, rank });
    this.#wake();
    return this.#limits.overflow !== "block" || !this.isFull;
  }

  /** As `push`, but delivered before it returns where nothing is waiting and `send` can. */
  pushThrough(envelope: Envelope, bytes: number, send: (batch: readonly Envelope[]) => SendResult): boolean {
    if (this.#isClosed || this.#lanes.size + this.#inFlight.length > 0) return this.push(envelope, bytes);
    const result = send([envelope]);
    if (result.status !== "sent") return this.push(envelope, bytes);
    this.#ledger.accepted++;
    this.#ledger.sent++;
    this.#onResult?.(result);
    return true;
  }

  /** Resolves once everything pushed before has been sent or dropped. */
  async flush(): Promise<void> {
    const mark = this.#order;
    while ((this.#inFlight[0] ?? this.#lanes.first ?? { order: mark + 1 }).order <= mark) {
      this.#start();
      await this.#running;
    }
  }

  /** Sends what it can within the deadline, counts the rest as dropped, and closes the sink. */
  async close(deadlineMs = 5_000): Promise<SinkCounters> {
    if (!this.#isClosed) {
      const timer = setTimeout(() => this.#giveUp(), deadlineMs);
      this.#isClosed = true;
      await this.flush();
      clearTimeout(timer);
      await closeQuietly(this.#sink, Math.max(deadlineMs, 100));
    }
    return this.counters;
  }

  /** For exit paths: hands what is pending to `send`, which must deliver before it returns. */
  drainSync(send: (batch: readonly Envelope[]) => SendResult, isSent: (batch: readonly Envelope[]) => boolean): void {
    const interrupted = this.#inFlight;
    const batch = interrupted.map(({ envelope }) => envelope);
    this.#inFlight = [];
    if (interrupted.length > 0) this.#count(batch, isSent(this.#sending) ? { status: "sent" } : send(batch));
    for (let items = this.#take(); items.length > 0; items = this.#take()) {
      const rest = items.map(({ envelope }) => envelope);
      this.#count(rest, send(rest));
    }
  }

  #refuse(reason: "closed" | "too_large" | "queue_full"): false {
    this.#ledger.drop(reason);
    return false;
  }

  #makeRoom(rank: number, bytes: number): boolean {
    const { maxCount, maxBytes, overflow } = this.#limits;
    while (this.#lanes.size + 1 > maxCount || this.#lanes.bytes + bytes > maxBytes) {
      if (overflow === "drop-newest" || this.#lanes.evict(rank) === undefined) return false;
      this.#ledger.drop("queue_full");
    }
    return true;
  }

  #wake(): void {
    const { maxCount, maxBytes, maxDelayMs } = this.#batch;
    if (this.#running !== undefined) return;
    if (maxDelayMs === 0 || this.#lanes.size >= maxCount || this.#lanes.bytes >= maxBytes) return this.#start();
    this.#timer ??= setTimeout(() => this.#start(), maxDelayMs).unref();
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    while (this.#lanes.size > 0) {
      // What else comes in this turn of the event loop goes into the same batch, and a sink that writes at once never holds the loop for long.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const items = this.#take();
      // A deadline or an exit may have emptied the queue meanwhile.
      if (items.length === 0) break;
      this.#inFlight = items;
      const batch = items.map(({ envelope }) => envelope);
      this.#sending = batch;
      const result = await sendQuietly(this.#sink, batch, this.#stop.signal);
      // Unless an exit has taken it over.
      if (this.#inFlight === items) this.#count(batch, result);
    }
  }

  #take(): Waiting[] {
    const items: Waiting[] = [];
    let bytes = 0;
    for (let next = this.#lanes.first; next !== undefined && items.length < this.#batch.maxCount; next = this.#lanes.first) {
      bytes += next.bytes;
      if (items.length > 0 && bytes > this.#batch.maxBytes) break;
      items.push(this.#lanes.shift() as Waiting);
    }
    return items;
  }

  #count(batch: readonly Envelope[], result: SendResult): void {
    this.#inFlight = [];
    if (result.status === "sent") this.#ledger.sent += batch.length;
    else this.#ledger.drop(this.#stop.signal.aborted ? "closed" : reasonOf(result), batch.length);
    this.#onResult?.(result);
  }

  #giveUp(): void {
    this.#stop.abort(new HookError("HL_SINK_CLOSED", `The sink "${this.name}" was closed before it had sent everything.`));
    while (this.#lanes.shift() !== undefined) this.#ledger.drop("closed");
  }
}

/** A bounded queue before a sink, in order, that counts every drop under its reason. */
export function withQueue(sink: Sink, options: QueueOptions = {}): QueuedSink {
  return new QueuedSink(sink, options);
}

/** How long a sink may take to say what became of a batch after it was told to stop. */
const LAST_WORD_MS = 50;

/** Sends, whatever the sink does: one that throws has failed, and one that ignores an abort is not waited for. */
function sendQuietly(sink: Sink, batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult> {
  return new Promise((resolve) => {
    const settle = (result: SendResult): void => {
      signal.removeEventListener("abort", stop);
      resolve(result);
    };
    const stop = (): void => void setTimeout(settle, LAST_WORD_MS, { status: "retry", cause: signal.reason });
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    attempt(sink, batch, signal).then(settle, (cause: unknown) => settle({ status: "failed", cause }));
  });
}

// Async, so that a sink that throws at once rejects.
async function attempt(sink: Sink, batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult> {
  return sink.send(batch, signal);
}

/** Closes, and waits for it no longer than so. What it throws changes nothing: everything is counted by then. */
function closeQuietly(sink: Sink, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, withinMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    Promise.resolve()
      .then(() => sink.close())
      .then(done, done);
  });
}

/**
 * What to do when the queue is full. `drop-oldest` lets go of the oldest of the lowest class (bulk, then normal, then vital), never of
 * one above the newcomer's; `drop-newest` refuses the newcomer; `block` drops nothing and grows: its producer reads `isFull` and holds back.
 */
export type Overflow = "drop-oldest" | "drop-newest" | "block";

/** Options of `withQueue`. */
export interface QueueOptions {
  /** Default 10,000. */
  readonly maxCount?: number;
  /** Default 16 MiB. */
  readonly maxBytes?: number;
  /** Default `drop-oldest`. */
  readonly overflow?: Overflow;
  /** How much goes into one `send`, and how long the first may wait for more. */
  readonly batch?: BatchOptions;
  /** Hears the result of every batch. */
  readonly onResult?: (result: SendResult) => void;
}
