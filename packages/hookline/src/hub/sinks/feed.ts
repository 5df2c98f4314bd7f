import { setTimeout as after } from "node:timers/promises";
import type { HookError } from "@hookline/core";
import { backoffDelay } from "@hookline/core/internal/wire";
import { type Sink, withRetry, withTimeout } from "@hookline/core/sinks";
import type { SinkConfig } from "../../config/config.js";
import type { SinkRow } from "../parts.js";
import type { StoredEvent } from "../store/store.js";
import { type BatchMaker, createBatchMaker, type FeedBatch, ReadSize } from "./batches.js";
import { closeWithin, createSink } from "./create-sink.js";
import { FeedTally } from "./feed-tally.js";
import { type FeedStore, findStart, SinkPosition } from "./sink-position.js";
import { WakeUp } from "./wake-up.js";

export interface FeedOptions {
  readonly store: FeedStore;
  readonly onError: (error: HookError) => void;
  /** Opens the sink. Default: a sink of the type that the configuration names. */
  readonly create?: (config: SinkConfig) => Sink | Promise<Sink>;
  /** How often to look without being told that something has come. */
  readonly pollMs?: number;
  /** The first wait before opening a sink again; it doubles to 30 s. */
  readonly reopenMs?: number;
}

const MAX_REOPEN_MS = 30_000;

/** Brings one sink everything the store has for it, in order and at least once, over restarts of the hub. */
export class Feed {
  readonly #config: SinkConfig;
  readonly #options: Required<FeedOptions>;
  readonly #tally: FeedTally;
  readonly #size = new ReadSize();
  /** No more waiting for events to come. */
  readonly #ending = new AbortController();
  /** No more sending. */
  readonly #stop = new AbortController();
  readonly #wakeUp = new WakeUp();
  readonly #running: Promise<void>;
  readonly #place: number | undefined;
  #bookmark: SinkPosition | undefined;
  #sink: Sink | undefined;
  #latest = 0;
  /** Nothing after this place. */
  #limit = Number.POSITIVE_INFINITY;
  #closing: Promise<void> | undefined;

  /** With the place that the feed before it had got to, it goes on there, whatever could be saved of it. */
  constructor(config: SinkConfig, options: FeedOptions, place?: number) {
    this.#config = config;
    this.#options = { create: createSink, pollMs: 2_000, reopenMs: 1_000, ...options };
    this.#place = place;
    this.#tally = new FeedTally(config.name, options.onError);
    this.#running = this.#run().catch((cause: unknown) => this.#tally.failed({ status: "failed", cause }));
  }

  /** How far it has got, once that is known. */
  get place(): number | undefined {
    return this.#bookmark?.place ?? this.#place;
  }

  get row(): SinkRow {
    const { name, type } = this.#config;
    const { state, lastError, sent, dropped } = this.#tally;
    const behind = Math.max(0, this.#latest - (this.#bookmark?.place ?? this.#latest));
    return { name, type, state, lastError, sent, dropped: { ...dropped }, behind };
  }

  /** There is something up to this place. */
  wake(latest: number): void {
    this.#latest = Math.max(this.#latest, latest);
    this.#wakeUp.call();
  }

  /** Sends what it can until then. The rest stays in the store and is sent when the hub is back, so a sink that is down is not waited for. */
  close(deadlineMs: number): Promise<void> {
    return this.#end(deadlineMs, Number.POSITIVE_INFINITY);
  }

  /** The same, but nothing that comes from now on. */
  retire(deadlineMs: number): Promise<void> {
    return this.#end(deadlineMs, this.#latest);
  }

  /** Ends with the batch that is on its way: what comes after it is for the feed that follows, under its own settings. */
  handOver(deadlineMs: number): Promise<void> {
    return this.#end(deadlineMs, 0);
  }

  #end(deadlineMs: number, limit: number): Promise<void> {
    this.#limit = Math.min(this.#limit, limit);
    this.#closing ??= this.#close(deadlineMs);
    return this.#closing;
  }

  get #isClosing(): boolean {
    return this.#ending.signal.aborted;
  }

  async #close(deadlineMs: number): Promise<void> {
    this.#ending.abort();
    const timer = setTimeout(() => this.#stop.abort(), this.#tally.state === "failing" ? 0 : deadlineMs);
    this.#wakeUp.call();
    await this.#running;
    clearTimeout(timer);
    await this.#bookmark?.close();
    if (this.#sink !== undefined) await closeWithin(this.#sink, Math.max(deadlineMs, 100));
    this.#tally.state = "closed";
  }

  async #run(): Promise<void> {
    const bookmark = await this.#start();
    const makeBatches = createBatchMaker(this.#config, this.#options.onError, () => this.#tally.drop("unreadable", 1));
    const sender = await this.#open();
    while (bookmark !== undefined && sender !== undefined && !this.#stop.signal.aborted) {
      this.#wakeUp.forget();
      const rows = (await this.#read(bookmark)).filter(({ place }) => place <= this.#limit);
      if (rows.length > 0) await this.#deliver(makeBatches, rows, { bookmark, sender });
      else if (this.#isClosing) break;
      else await this.#waitForMore();
    }
  }

  /** Stored at once, so that a new sink does not start over after a crash. */
  async #start(): Promise<SinkPosition | undefined> {
    const { store } = this.#options;
    const key = `sink:${this.#config.name}`;
    const start = await this.#insist(() => findStart(store, key, this.#config.from));
    if (start === undefined) return undefined;
    this.#latest = Math.max(this.#latest, start.latest);
    const place = this.#place ?? start.place;
    this.#bookmark = new SinkPosition(store, key, { place, isSaved: start.isSaved && place === start.place });
    await this.#bookmark.save();
    return this.#bookmark;
  }

  async #open(): Promise<Sink | undefined> {
    const sink = await this.#insist(() => this.#options.create(this.#config));
    if (sink === undefined) return undefined;
    this.#sink = sink;
    return withRetry(withTimeout(sink, this.#config.timeoutMs), {
      ...this.#config.retry,
      onRetry: (result) => {
        if (result.status !== "sent") this.#tally.failed(result);
        if (this.#isClosing) this.#stop.abort();
      },
      onGiveUp: (batch, cause) => sink.gaveUp?.(batch, cause),
    });
  }

  /** Again and again until it works, or the feed is closed. */
  async #insist<T>(attempt: () => T | Promise<T>): Promise<T | undefined> {
    for (let failures = 0; !this.#stop.signal.aborted; failures++) {
      try {
        const result = await attempt();
        if (failures > 0) this.#tally.state = "ok";
        return result;
      } catch (cause) {
        this.#tally.failed({ status: "retry", cause });
        if (this.#isClosing) return undefined;
        await this.#sleep(backoffDelay(failures, { baseMs: this.#options.reopenMs, maxMs: MAX_REOPEN_MS, jitter: 0 }));
      }
    }
    return undefined;
  }

  async #read(bookmark: SinkPosition): Promise<readonly StoredEvent[]> {
    const { place } = bookmark;
    const known = this.#latest;
    // All events, whatever the sink wants: only so does a gap between places tell what retention has taken.
    const rows = await this.#insist(() => this.#options.store.after(place, {}, this.#size.next));
    if (rows === undefined) return [];
    this.#size.learn(rows);
    const last = rows.at(-1)?.place ?? Math.max(place, known);
    this.#latest = Math.max(this.#latest, last);
    this.#tally.missed(last - place - rows.length);
    if (rows.length === 0 && last > place) bookmark.advance(last);
    return rows;
  }

  async #deliver(makeBatches: BatchMaker, rows: readonly StoredEvent[], to: { bookmark: SinkPosition; sender: Sink }): Promise<void> {
    for await (const batch of makeBatches(rows)) {
      if (!(await this.#send(to.sender, batch))) return;
      to.bookmark.advance(batch.upTo);
    }
  }

  /** Whether it is done with; if not, the feed is closing. */
  async #send(sender: Sink, { envelopes, upTo }: FeedBatch): Promise<boolean> {
    if (upTo > this.#limit) return false;
    if (envelopes.length === 0) return !this.#stop.signal.aborted;
    const result = await sender.send(envelopes, this.#stop.signal);
    if (result.status === "retry" || (result.status === "failed" && this.#stop.signal.aborted)) return false;
    this.#tally.settled(result, envelopes.length);
    return true;
  }

  async #waitForMore(): Promise<void> {
    await this.#wakeUp.sleep(this.#options.pollMs);
    const { maxDelayMs, maxCount } = this.#config.batch;
    if (maxDelayMs > 0 && !this.#isClosing && this.row.behind < maxCount) await this.#sleep(maxDelayMs, this.#ending.signal);
  }

  async #sleep(ms: number, signal = this.#stop.signal): Promise<void> {
    await after(ms, undefined, { ref: false, signal }).catch(() => {});
  }
}
