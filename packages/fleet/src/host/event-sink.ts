import { setTimeout as after } from "node:timers/promises";
import { errorText } from "@hookline/core/internal/machine";
import { backoffDelay } from "@hookline/core/internal/wire";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { FleetEvents } from "hookline/internal/fleet";
import { readCursor } from "../nats/cursor.js";
import { type EventMessage, OVERHEAD_BYTES } from "../nats/event-message.js";
import type { Link } from "../nats/link.js";
import { publishBatch, publishDirectly, RefusedBatch } from "../nats/publish-batch.js";
import { bucketStream, buckets, subjects } from "../nats/subjects.js";
import { LargeEvents } from "./large-events.js";
import { outgoingOf } from "./outgoing.js";
import { packed } from "./packed.js";
import { Positions, type Shipment } from "./positions.js";

export interface EventSinkOptions {
  readonly connection: NatsConnection;
  readonly link: Link;
  readonly events: FleetEvents;
  /** The id of the fleet. */
  readonly fleet: string;
  /** The host's name. */
  readonly host: string;
  /** How many hosts there are. Default 1. */
  readonly fleetSize?: () => number;
  readonly onProblem: (text: string) => void;
}

export interface SinkState {
  readonly state: "ok" | "offline" | "full" | "failing";
  readonly lastError: string | undefined;
  /** The newest position of the store, as far as the sink has looked. */
  readonly last: number;
  /** The server has everything up to this position. */
  readonly sent: number;
  /** The fleet's store has everything up to this position. */
  readonly confirmed: number;
  readonly batches: number;
  readonly messages: number;
  /** Events that retention has removed before they were sent. */
  readonly missing: number;
  /** How often the fleet hub asked for events again. */
  readonly resends: number;
}

/** At most so many messages in a batch. */
const BATCH = 500;
const MIN_BATCH = 3;
/** While the server stores a batch, the next ones are read and sent. The server takes them in their order. */
const MAX_SHIPMENTS = 3;
/** A batch that is not full waits so long after the batch before it. */
const BATCH_MS = 1000;
/** How often the confirmed position is read, although the fleet also tells it. */
const CURSOR_MS = 30_000;
/** After so long without a confirmation the host asks the fleet hub whether everything has arrived; the pauses double. */
const PROBE_MS = 1500;
/**
 * Of what goes straight to the fleet hub, something must be confirmed within this time. If it is, the rest goes this way, too: a stream that was
 * full would be full again. `fleetChars`: what all hosts together send before they wait, because the server ends a connection that is given much
 * more than it reads. A hub that is slow gets less at a time.
 */
const DIRECT = { answerMs: 1500, leastMs: 1000, limit: 2000, leastLimit: 500, fleetChars: 32 * 1024 * 1024 };
const RETRY = { baseMs: 250, jitter: 0.8 };
/** The longest pause after a failure, also of a full stream, which all hosts of the fleet see: about 100 of them try again in a second. */
const MAX_RETRY_MS = { perHost: 10, least: 2000, most: 30_000 };
/** What ends a wait: a new event, or a sign of life of the fleet. */
type Cause = "stored" | "nudge";
const POLL_MS = 2000;
const MAX_PROBE_MS = 60_000;
const MAX_CHARS = 2 * 1024 * 1024;

/** What is sent next. */
interface Batch {
  readonly messages: readonly EventMessage[];
  readonly missing: number;
  /** The store has more. */
  readonly hasMore: boolean;
  /** The course for which it was read. */
  readonly course: number;
}

/** Sends the host's events to the fleet. The store is the spool: nothing counts as delivered until the fleet's own store confirms it. */
export class EventSink {
  readonly #options: EventSinkOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #undo: (() => void)[] = [];
  readonly #marks: { readonly confirmed: string; readonly start: string };
  readonly #positions = new Positions();
  readonly #large: LargeEvents;
  /** The batches that the server has not answered yet, oldest first. None of them rejects. */
  #shipments: Promise<{ readonly error?: unknown }>[] = [];
  /** Ends the current wait, if that is what it waits for. */
  #wake = (_cause: Cause): void => {};
  #isWoken = false;
  #start = 0;
  #saved = 0;
  #last = 0;
  #failures = 0;
  #lastError: string | undefined;
  #isFull = false;
  #limit = BATCH;
  #directLimit = DIRECT.limit;
  /** Since when the fleet hub owes a confirmation, if it does. */
  #owedSince = performance.now();
  #probes = 0;
  /** Hosts that were started together must not all ask at once. */
  #spread = 0.75 + Math.random() / 2;
  #batches = 0;
  #messages = 0;
  #missing = 0;

  constructor(options: EventSinkOptions) {
    this.#options = options;
    this.#marks = { confirmed: `fleet:${options.fleet}:confirmed`, start: `fleet:${options.fleet}:start` };
    this.#large = new LargeEvents(options);
    this.#running = this.#run();
  }

  get state(): SinkState {
    const { sent, confirmed, setBacks } = this.#positions;
    return {
      state: !this.#options.link.isUp ? "offline" : this.#isFull ? "full" : this.#failures > 0 ? "failing" : "ok",
      lastError: this.#failures > 0 ? this.#lastError : undefined,
      last: this.#last,
      sent,
      confirmed,
      batches: this.#batches,
      messages: this.#messages,
      missing: this.#missing,
      resends: setBacks,
    };
  }

  /** Sends everything after a position again. False if that is not about this store. */
  resend(store: string, position: number): boolean {
    if (store !== this.#options.events.storeId || !Number.isSafeInteger(position) || position < 0) return false;
    if (position >= this.#positions.sent) return true;
    this.#large.forget();
    this.#positions.setBack(position);
    this.#nudge();
    return true;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#nudge();
    await this.#running;
    for (const undo of this.#undo) undo();
    await this.#save();
  }

  async #run(): Promise<void> {
    const { connection, events, link, host } = this.#options;
    const told = connection.subscribe(subjects.key(buckets.cursor, host), {
      callback: (_, { data }) => {
        this.#confirm(this.#positionIn(data));
        this.#nudge();
      },
    });
    this.#undo.push(
      () => told.unsubscribe(),
      events.onStored(() => this.#call()),
    );
    if (!(await this.#begin())) return;
    link.onUp(() => void this.#reconnected());
    const look = async (): Promise<void> => {
      this.#confirm(await this.#readCursor(), { isKept: true });
      await this.#save();
    };
    const timer = setInterval(() => void look(), CURSOR_MS * (0.75 + Math.random() / 2));
    this.#undo.push(() => clearInterval(timer));
    while (!this.#stop.signal.aborted) await this.#turn();
  }

  /** Finds out where to go on. Tries until the store answers; false if the sink is closed before. */
  async #begin(): Promise<boolean> {
    const { events } = this.#options;
    for (let failures = 0; !this.#stop.signal.aborted; failures++) {
      try {
        const [start, confirmed, [oldest], last] = await Promise.all([
          events.mark(this.#marks.start),
          events.mark(this.#marks.confirmed),
          events.after(0, 1, 1),
          events.lastPosition(),
        ]);
        this.#start = start ?? (oldest?.place ?? last + 1) - 1;
        if (start === undefined) await events.setMark(this.#marks.start, this.#start);
        this.#last = last;
        const known = Math.max(confirmed ?? 0, await this.#readCursor());
        if (known > last) this.#options.onProblem("The store is older than what the fleet has confirmed. All of it is sent again.");
        this.#positions.begin(known > last ? 0 : known);
        return true;
      } catch (error) {
        this.#failed(error);
        await this.#pause(backoffDelay(failures, this.#retry()));
      }
    }
    return false;
  }

  async #turn(): Promise<void> {
    const beganAt = performance.now();
    this.#isWoken = false;
    try {
      if (!this.#options.link.isUp) return await this.#sleep(POLL_MS, "nudge");
      const batch = await this.#read();
      if (batch !== undefined) {
        await this.#answered(this.#failures > 0 || this.#limit < BATCH ? 0 : MAX_SHIPMENTS - 1);
        // A request to send again may have come meanwhile.
        if (batch.course !== this.#positions.course) return;
        this.#ship(batch);
        if (batch.hasMore) return;
      }
      await this.#answered(0);
      this.#failures = 0;
      this.#isFull = false;
      const untilProbeMs = this.#untilProbeMs();
      if (untilProbeMs <= 0) await this.#probe();
      else if (batch === undefined) await this.#sleep(Math.min(POLL_MS, untilProbeMs), "stored");
      else await this.#pause(BATCH_MS - (performance.now() - beganAt));
    } catch (error) {
      await Promise.all(this.#shipments);
      this.#shipments = [];
      this.#positions.shipAgain();
      this.#failed(error);
      const pauseMs = backoffDelay(this.#failures++, this.#retry());
      if (!(await this.#sendDirectly(pauseMs))) await this.#sleep(pauseMs, "nudge");
    }
  }

  /** What comes after the batches that are on their way; `undefined` if there is nothing. */
  async #read(limit = this.#limit, maxChars = MAX_CHARS): Promise<Batch | undefined> {
    const { events } = this.#options;
    const { shipped, course } = this.#positions;
    // The newest position first: whatever is missing up to it when the rows are read has been removed.
    const [last, rows] = await Promise.all([events.lastPosition(), events.after(shipped, limit, maxChars)]);
    this.#last = Math.max(last, rows.at(-1)?.place ?? 0);
    const options = { store: events.storeId, sent: shipped, rows, last, start: this.#start, limit };
    const { messages, missing } = outgoingOf(options);
    if (messages.length === 0) return undefined;
    const hasMore = (messages.at(-1)?.position ?? 0) < this.#last;
    return { messages: await this.#large.replace(messages), missing, hasMore, course };
  }

  #ship({ messages, missing }: Batch): void {
    const { connection, link, host } = this.#options;
    const shipment = this.#positions.ship(messages.at(-1)?.position ?? 0);
    const arrived = (): { readonly error?: unknown } => {
      this.#batches++;
      this.#failures = 0;
      this.#isFull = false;
      this.#limit = Math.min(BATCH, this.#limit * 2);
      this.#arrived(shipment, messages, missing);
      return {};
    };
    this.#shipments.push(
      link.whileUp(publishBatch(connection, host, this.#packed(messages), this.#failures)).then(arrived, (error: unknown) => ({ error })),
    );
  }

  #packed(messages: readonly EventMessage[]): readonly EventMessage[] {
    return packed(messages, Math.floor(((this.#options.connection.info?.max_payload ?? 0) - OVERHEAD_BYTES) / 3));
  }

  #arrived(shipment: Shipment, messages: readonly EventMessage[], missing: number): void {
    const isOwed = this.#isOwed;
    this.#messages += messages.length;
    this.#large.sent(messages);
    if (!this.#positions.arrived(shipment)) return;
    this.#missing += missing;
    if (!isOwed) this.#moved();
  }

  /**
   * Gives events straight to the fleet hub, all that there are and for at least so long: the stream takes none, or the fleet hub does not get
   * them from there. What the stream has already, the fleet hub asks for again. False if it does not answer: then only the stream can help.
   */
  async #sendDirectly(ms: number): Promise<boolean> {
    const { connection, link, host, fleetSize = () => 1 } = this.#options;
    const end = performance.now() + Math.max(DIRECT.leastMs, ms);
    const read = (): Promise<Batch | undefined> => this.#read(this.#directLimit, Math.min(MAX_CHARS, DIRECT.fleetChars / fleetSize()));
    let hasMore = false;
    while ((hasMore || performance.now() < end) && link.isUp && !this.#stop.signal.aborted) {
      this.#isWoken = false;
      const batch = this.#question() ?? (await read().catch(() => undefined));
      hasMore = batch?.hasMore === true;
      if (batch === undefined) await this.#sleep(end - performance.now(), "stored");
      if (batch === undefined || batch.course !== this.#positions.course) continue;
      const { messages, missing, course } = batch;
      const shipment = this.#positions.ship(messages.at(-1)?.position ?? 0);
      publishDirectly(connection, host, this.#packed(messages));
      if (await this.#isHeard(shipment)) {
        this.#directLimit = Math.min(DIRECT.limit, this.#directLimit * 2);
        this.#arrived(shipment, messages, missing);
      } else if (course === this.#positions.course) {
        this.#directLimit = Math.max(DIRECT.leastLimit, Math.floor(this.#directLimit / 2));
        this.#positions.shipAgain();
        return false;
      }
    }
    return true;
  }

  /** Asks whether everything has arrived; `undefined` if the fleet hub has confirmed that. */
  #question(): Batch | undefined {
    const { sent: position, course } = this.#positions;
    const message: EventMessage = { kind: "skip", store: this.#options.events.storeId, previous: position, position, body: "" };
    return this.#isOwed ? { messages: [message], missing: 0, hasMore: false, course } : undefined;
  }

  /** Whether the fleet hub confirms a shipment; each step of it in time. False also if it asks for something again. */
  async #isHeard({ upTo, course }: Shipment): Promise<boolean> {
    const isOver = (): boolean => this.#positions.heard >= upTo || this.#positions.course !== course || this.#stop.signal.aborted;
    let { heard } = this.#positions;
    for (let end = performance.now() + DIRECT.answerMs; !isOver() && performance.now() < end; ) {
      await this.#sleep(end - performance.now(), "nudge");
      if (this.#positions.heard > heard) end = performance.now() + DIRECT.answerMs;
      ({ heard } = this.#positions);
    }
    return this.#positions.heard >= upTo && this.#positions.course === course;
  }

  /** Until at most so many batches wait for the server's answer. Rejects if one was refused or lost. */
  async #answered(count: number): Promise<void> {
    while (this.#shipments.length > count) {
      const { error } = (await this.#shipments[0]) ?? {};
      if (error !== undefined) throw error;
      this.#shipments.shift();
    }
  }

  /** The fleet hub has not confirmed everything that the server has. */
  get #isOwed(): boolean {
    const { confirmed, sent } = this.#positions;
    return confirmed < sent;
  }

  #untilProbeMs(): number {
    if (!this.#isOwed) return Number.POSITIVE_INFINITY;
    const waitMs = Math.min(MAX_PROBE_MS, PROBE_MS * 2 ** Math.min(this.#probes, 10));
    return this.#owedSince + waitMs * this.#spread - performance.now();
  }

  /** The fleet hub has not confirmed for a while: asks it whether it misses something, straight and by the stream. */
  async #probe(): Promise<void> {
    const { connection, link, host } = this.#options;
    this.#owedSince = performance.now();
    this.#probes++;
    this.#spread = 0.75 + Math.random() / 2;
    if (await this.#sendDirectly(0)) return;
    const { messages = [] } = this.#question() ?? {};
    if (messages.length > 0) await link.whileUp(publishBatch(connection, host, messages, this.#failures));
    this.#confirm(await this.#readCursor(), { isKept: true });
  }

  #moved(): void {
    this.#owedSince = performance.now();
    this.#probes = 0;
  }

  /** The server may have lost something, so the next probe comes soon. */
  async #reconnected(): Promise<void> {
    this.#moved();
    this.#confirm(await this.#readCursor(), { isKept: true });
    this.#nudge();
  }

  /** The position that the fleet has confirmed of this store; 0 if that is not known. */
  async #readCursor(): Promise<number> {
    const { connection, link, host } = this.#options;
    if (!link.isUp) return 0;
    try {
      const manager = await jetstreamManager(connection, { checkAPI: false });
      const found = await manager.direct.getMessage(bucketStream(buckets.cursor), { last_by_subj: subjects.key(buckets.cursor, host) });
      return found === null ? 0 : this.#positionIn(found.data);
    } catch {
      // The bucket may be gone. What was saved of it, and the fleet hub's requests, are enough to go on.
      return 0;
    }
  }

  #positionIn(data: Uint8Array): number {
    const cursor = readCursor(data);
    return cursor?.store === this.#options.events.storeId ? cursor.position : 0;
  }

  #confirm(position: number, from: { readonly isKept?: boolean } = {}): void {
    if (this.#positions.confirm(position, from)) this.#moved();
  }

  /** What is not saved is only sent twice. */
  async #save(): Promise<void> {
    const { confirmed } = this.#positions;
    if (this.#saved === confirmed) return;
    this.#saved = confirmed;
    await this.#options.events.setMark(this.#marks.confirmed, confirmed).catch(() => {});
  }

  #retry(): typeof RETRY & { readonly maxMs: number } {
    const { perHost, least, most } = MAX_RETRY_MS;
    return { ...RETRY, maxMs: Math.min(most, Math.max(least, perHost * (this.#options.fleetSize?.() ?? 1))) };
  }

  #failed(error: unknown): void {
    this.#isFull = error instanceof RefusedBatch && error.isFull;
    // A batch that is larger than the stream would never fit.
    if (this.#isFull) this.#limit = Math.max(MIN_BATCH, Math.floor(this.#limit / 2));
    this.#lastError = errorText(error);
    if (this.#failures === 0 && !this.#stop.signal.aborted) this.#options.onProblem(`Events wait for the fleet: ${this.#lastError}`);
  }

  #call(): void {
    this.#isWoken = true;
    this.#wake("stored");
  }

  /** Until the time is up or the sink is closed: also when something was stored, or only when the fleet has given a sign of life. */
  async #sleep(ms: number, until: Cause): Promise<void> {
    if ((this.#isWoken && until === "stored") || this.#stop.signal.aborted) return;
    const done = new AbortController();
    this.#wake = (cause) => (cause === until || cause === "nudge") && done.abort();
    await after(Math.max(0, ms), undefined, { ref: false, signal: done.signal }).catch(() => {});
    this.#wake = () => {};
  }

  /** The fleet is there again, or has made room: no need to wait for the next attempt. */
  #nudge(): void {
    this.#isWoken = true;
    this.#wake("nudge");
  }

  /** Until the time is up or the sink is closed. */
  async #pause(ms: number): Promise<void> {
    if (ms > 0) await after(ms, undefined, { ref: false, signal: this.#stop.signal }).catch(() => {});
  }
}
