import type { Bus } from "../bus/bus.js";
import { messageOf } from "../bus/describe-error.js";
import type { HookEvent, TapDispatch } from "../bus/types.js";
import type { Envelope } from "../catalog/envelope.js";
import { HookError, quietly } from "../catalog/errors.js";
import type { SinkCounters } from "./_delivery/counters.js";
import { type QueuedSink, withQueue } from "./_delivery/queue.js";
import { withRetry } from "./_delivery/retry.js";
import { withTimeout } from "./_delivery/timeout.js";
import { AskedPayloads } from "./asked-payloads.js";
import { compileEventFilter } from "./connect/event-filter.js";
import { flushAtExit, flushAtSignals } from "./connect/exit-flush.js";
import { createPreparer, type Prepared, takeSnapshot } from "./connect/prepare.js";
import { type ConnectSinkOptions, checkConnectOptions } from "./connect-options.js";
import type { SendResult, Sink, SyncSink } from "./sink.js";

/** Delivers what a bus does to a sink. The dispatch only takes a copy; redacting, queueing and sending happen after it. */
export function connectSink(bus: Pick<Bus, "tap" | "onError">, sink: Sink, options: ConnectSinkOptions = {}): SinkConnection {
  checkConnectOptions(options);
  return new Connection(bus, sink, options);
}

/** So many are prepared within one dispatch of a burst at most: what waits unprepared is bounded. */
const MAX_INTAKE = 256;

class Connection implements SinkConnection {
  readonly name: string;
  readonly #queue: QueuedSink;
  readonly #accepts: (name: string) => boolean;
  readonly #prepare: (envelope: Envelope) => Prepared;
  readonly #report: (error: HookError) => void;
  readonly #sync: SyncSink | undefined;
  readonly #written = new WeakSet<readonly Envelope[]>();
  readonly #undo: (() => void)[] = [];
  readonly #asked = new AskedPayloads();
  #intake: Envelope[] = [];
  #filtered = 0;
  #isScheduled = false;
  #isThrough: boolean;
  #health: SinkHealth = { state: "ok" };

  constructor(bus: Pick<Bus, "tap" | "onError">, sink: Sink, options: ConnectSinkOptions) {
    const { timeoutMs = 30_000, flushOnExit = true, flushOnSignals = true, writeThrough = false } = options;
    this.name = sink.name;
    const report = options.onError ?? ((error: HookError) => bus.onError(error));
    this.#report = (error) => quietly(() => report(error));
    this.#accepts = compileEventFilter(options.events);
    this.#prepare = createPreparer({ ...options, onError: this.#report });
    this.#sync = isSync(sink) ? sink : undefined;
    this.#isThrough = writeThrough && this.#sync !== undefined;
    const tried = withRetry(withTimeout(this.#remembering(sink), timeoutMs), {
      ...options.retry,
      onRetry: (result) => this.#note(result),
      onGiveUp: (batch, cause) => sink.gaveUp?.(batch, cause),
    });
    this.#queue = withQueue(tried, { ...options, ...options.queue, onResult: (result) => this.#note(result) });
    this.#undo.push(
      bus.tap({
        returned: (event, handler, call) => this.#asked.returned(event, handler, call),
        dispatched: (event, dispatch) => this.#record(event, dispatch),
      }),
    );
    if (this.#sync !== undefined && flushOnExit) this.#undo.push(flushAtExit(() => this.#flushSync(true)));
    if (this.#sync !== undefined && flushOnSignals) this.#undo.push(flushAtSignals(() => this.#flushSync(false)));
  }

  get counters(): ConnectionCounters {
    const { accepted, sent, pending, dropped } = this.#queue.counters;
    const waiting = this.#intake.length;
    return { accepted: accepted + waiting, sent, pending: pending + waiting, dropped, filtered: this.#filtered };
  }

  get health(): SinkHealth {
    return this.#health;
  }

  get isFull(): boolean {
    return this.#queue.isFull;
  }

  async flush(): Promise<void> {
    this.#takeIn();
    await this.#queue.flush();
  }

  async close(deadlineMs?: number): Promise<ConnectionCounters> {
    this.#takeIn();
    const [untap] = this.#undo;
    untap?.();
    await this.#queue.close(deadlineMs);
    // Only now: the process may exit while this waits.
    for (const undo of this.#undo.splice(0)) undo();
    this.#health = { ...this.#health, state: "closed" };
    return this.counters;
  }

  #record(event: HookEvent, dispatch: TapDispatch): void {
    const asked = this.#asked.take(event, dispatch);
    if (!this.#accepts(event.name)) {
      this.#filtered++;
      return;
    }
    this.#intake.push(takeSnapshot(event, dispatch, asked));
    if (this.#isThrough || this.#intake.length >= MAX_INTAKE) return this.#takeIn();
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#takeIn());
  }

  #takeIn(): void {
    this.#isScheduled = false;
    const taken = this.#intake;
    this.#intake = [];
    for (const snapshot of taken) {
      const { envelope, bytes } = this.#prepare(snapshot);
      if (this.#isThrough) this.#queue.pushThrough(envelope, bytes, (batch) => this.#sendSync(batch));
      else this.#queue.push(envelope, bytes);
    }
  }

  #flushSync(isExiting: boolean): void {
    // What other exit listeners still dispatch is written at once.
    if (isExiting) this.#isThrough = true;
    this.#takeIn();
    this.#queue.drainSync(
      (batch) => this.#sendSync(batch),
      (batch) => this.#written.has(batch),
    );
  }

  #sendSync(batch: readonly Envelope[]): SendResult {
    try {
      return (this.#sync as SyncSink).sendSync(batch);
    } catch (cause) {
      return { status: "failed", cause };
    }
  }

  /** A batch that was written but not yet answered for must not be written again by an exit. */
  #remembering(sink: Sink): Sink {
    const send = async (batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult> => {
      if (this.#sync === undefined) return sink.send(batch, signal);
      const result = this.#sync.sendSync(batch);
      if (result.status === "sent") this.#written.add(batch);
      return result;
    };
    return { name: sink.name, send, close: () => sink.close() };
  }

  #note(result: SendResult): void {
    if (result.status === "sent") {
      if (this.#health.state !== "ok") this.#health = { ...this.#health, state: "ok" };
      return;
    }
    this.#health = { state: result.status === "retry" ? "retrying" : "failing", lastError: messageOf(result.cause) };
    if (result.status === "failed") this.#report(asHookError(this.name, result.cause));
  }
}

function isSync(sink: Sink): sink is SyncSink {
  return typeof (sink as Partial<SyncSink>).sendSync === "function";
}

function asHookError(name: string, cause: unknown): HookError {
  if (cause instanceof HookError) return cause;
  return new HookError("HL_SINK_FAILED", `The sink "${name}" discarded a batch: ${messageOf(cause)}`, { cause });
}

/** How a sink is doing. `retrying`: its peer is down and tried again. `failing`: the last batch was given up. */
export interface SinkHealth {
  readonly state: "ok" | "retrying" | "failing" | "closed";
  /** What the last batch that did not get through ran into. */
  readonly lastError?: string;
}

/** The counters of a connected sink. */
export interface ConnectionCounters extends SinkCounters {
  /** Not asked for by `events`; never accepted. */
  readonly filtered: number;
}

/** The connection of a sink to a bus. `connectSink` returns it. */
export interface SinkConnection {
  readonly name: string;
  readonly counters: ConnectionCounters;
  readonly health: SinkHealth;
  /** No room is left: under `overflow: "block"` the time to hold back. */
  readonly isFull: boolean;
  /** Resolves once all that happened before has been sent or dropped. */
  flush(): Promise<void>;
  /** Lets go of the bus, sends what it can within the deadline (default 5,000 ms), closes the sink and says what became of everything. */
  close(deadlineMs?: number): Promise<ConnectionCounters>;
}
