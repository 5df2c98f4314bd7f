import { setTimeout as after } from "node:timers/promises";
import { errorText } from "@hookline/core/internal/machine";
import { backoffDelay } from "@hookline/core/internal/wire";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { FleetEvents } from "hookline/internal/fleet";
import { readCursor } from "../nats/cursor.js";
import { type EventMessage, OVERHEAD_BYTES } from "../nats/event-message.js";
import { putLargeEvent } from "../nats/large-event.js";
import type { Link } from "../nats/link.js";
import { publishBatch, RefusedBatch } from "../nats/publish-batch.js";
import { bucketStream, buckets, subjects } from "../nats/subjects.js";
import { outgoingOf } from "./outgoing.js";

export interface EventSinkOptions {
  readonly connection: NatsConnection;
  readonly link: Link;
  readonly events: FleetEvents;
  /** The id of the fleet. */
  readonly fleet: string;
  /** The host's name. */
  readonly host: string;
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
/** A batch that is not full waits so long after the batch before it. */
const BATCH_MS = 1000;
/** How often the confirmed position is read, although the fleet also tells it. */
const CURSOR_MS = 30_000;
/** After so long without a confirmation the host asks the fleet hub whether everything has arrived; the pauses double. */
const PROBE_MS = 2000;
const RETRY = { baseMs: 250, maxMs: 30_000, jitter: 0.8 };
/** What ends a wait: a new event, or a sign of life of the fleet. */
type Cause = "stored" | "nudge";
const POLL_MS = 2000;
const MAX_PROBE_MS = 60_000;
const MAX_CHARS = 2 * 1024 * 1024;

/** Sends the host's events to the fleet. The store is the spool: nothing counts as delivered until the fleet's own store confirms it. */
export class EventSink {
  readonly #options: EventSinkOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #undo: (() => void)[] = [];
  readonly #marks: { readonly confirmed: string; readonly start: string };
  /** Ends the current wait, if that is what it waits for. */
  #wake = (_cause: Cause): void => {};
  #isWoken = false;
  /** False until the sink knows where to go on. */
  #isBegun = false;
  #start = 0;
  #sent = 0;
  #confirmed = 0;
  #saved = 0;
  #last = 0;
  /** How often the position was set back: a batch that was on its way does not set it forward again. */
  #setBacks = 0;
  #failures = 0;
  #lastError: string | undefined;
  #isFull = false;
  #limit = BATCH;
  /** Large events that are in the object store, by position, as the bodies of their messages: a batch that was refused uses them again. */
  readonly #pointers = new Map<number, string>();
  #movedAt = performance.now();
  #probes = 0;
  #batches = 0;
  #messages = 0;
  #missing = 0;

  constructor(options: EventSinkOptions) {
    this.#options = options;
    this.#marks = { confirmed: `fleet:${options.fleet}:confirmed`, start: `fleet:${options.fleet}:start` };
    this.#running = this.#run();
  }

  get state(): SinkState {
    return {
      state: !this.#options.link.isUp ? "offline" : this.#isFull ? "full" : this.#failures > 0 ? "failing" : "ok",
      lastError: this.#failures > 0 ? this.#lastError : undefined,
      last: this.#last,
      sent: this.#sent,
      confirmed: this.#confirmed,
      batches: this.#batches,
      messages: this.#messages,
      missing: this.#missing,
      resends: this.#setBacks,
    };
  }

  /** Sends everything after a position again. False if that is not about this store. */
  resend(store: string, position: number): boolean {
    if (store !== this.#options.events.storeId || !Number.isSafeInteger(position) || position < 0) return false;
    if (position >= this.#sent) return true;
    this.#setBacks++;
    // The object store may have lost some of them.
    this.#pointers.clear();
    this.#sent = position;
    this.#confirmed = Math.min(this.#confirmed, position);
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
        this.#confirm(data);
        this.#nudge();
      },
    });
    this.#undo.push(
      () => told.unsubscribe(),
      events.onStored(() => this.#call()),
    );
    if (!(await this.#begin())) return;
    link.onUp(() => void this.#reconnected());
    const timer = setInterval(() => void this.#readCursor().then(() => this.#save()), CURSOR_MS * (0.75 + Math.random() / 2));
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
        this.#confirmed = confirmed ?? 0;
        await this.#readCursor();
        if (this.#confirmed > last) {
          this.#options.onProblem("The store is older than what the fleet has confirmed. All of it is sent again.");
          this.#confirmed = 0;
        }
        this.#sent = this.#confirmed;
        this.#isBegun = true;
        return true;
      } catch (error) {
        this.#failed(error);
        await this.#pause(backoffDelay(failures, RETRY));
      }
    }
    return false;
  }

  async #turn(): Promise<void> {
    const beganAt = performance.now();
    this.#isWoken = false;
    try {
      if (!this.#options.link.isUp) return await this.#sleep(POLL_MS, "nudge");
      const count = await this.#sendSome();
      this.#failures = 0;
      this.#isFull = false;
      if (count === 0) await this.#rest();
      else if (count < this.#limit / 4) await this.#pause(BATCH_MS - (performance.now() - beganAt));
    } catch (error) {
      this.#failed(error);
      await this.#sleep(backoffDelay(this.#failures++, RETRY), "nudge");
    }
  }

  /** One batch; returns how many messages it had. */
  async #sendSome(): Promise<number> {
    const { connection, link, events, host } = this.#options;
    const [sent, setBacks] = [this.#sent, this.#setBacks];
    // The newest position first: whatever is missing up to it when the rows are read has been removed.
    const [last, rows] = await Promise.all([events.lastPosition(), events.after(sent, this.#limit, MAX_CHARS)]);
    this.#last = Math.max(last, rows.at(-1)?.place ?? 0);
    const { messages, missing } = outgoingOf({ store: events.storeId, sent, rows, last, start: this.#start, limit: this.#limit });
    if (messages.length === 0) return 0;
    await link.whileUp(publishBatch(connection, host, await this.#shrink(messages)));
    this.#batches++;
    this.#messages += messages.length;
    this.#failures = 0;
    this.#limit = Math.min(BATCH, this.#limit * 2);
    for (const { position } of messages) this.#pointers.delete(position);
    // A request to send again may have come meanwhile.
    if (setBacks !== this.#setBacks) return messages.length;
    this.#sent = messages.at(-1)?.position ?? sent;
    this.#missing += missing;
    this.#moved();
    return messages.length;
  }

  /** Events that do not fit into a message go into the object store first. */
  async #shrink(messages: readonly EventMessage[]): Promise<readonly EventMessage[]> {
    const { connection, link, host } = this.#options;
    const most = (connection.info?.max_payload ?? 0) - OVERHEAD_BYTES;
    const isLarge = ({ body }: EventMessage): boolean => body.length * 3 > most && Buffer.byteLength(body) > most;
    if (!messages.some(isLarge)) return messages;
    const js = jetstream(connection);
    const ready: EventMessage[] = [];
    for (const message of messages) {
      if (!isLarge(message)) {
        ready.push(message);
        continue;
      }
      const { position } = message;
      const body = this.#pointers.get(position) ?? JSON.stringify(await link.whileUp(putLargeEvent(js, host, message.body, most)));
      this.#pointers.set(position, body);
      ready.push({ ...message, kind: "large", body });
    }
    return ready;
  }

  /** Nothing is left to send: waits for more. If the fleet hub has not confirmed for a while, asks it whether it misses something. */
  async #rest(): Promise<void> {
    const { connection, link, events, host } = this.#options;
    const waitMs = Math.min(MAX_PROBE_MS, PROBE_MS * 2 ** Math.min(this.#probes, 10)) * (0.75 + Math.random() / 2);
    if (this.#confirmed < this.#sent && performance.now() - this.#movedAt >= waitMs) {
      const [store, position] = [events.storeId, this.#sent];
      this.#movedAt = performance.now();
      this.#probes++;
      await link.whileUp(publishBatch(connection, host, [{ kind: "skip", store, previous: position, position, body: "" }]));
      await this.#readCursor();
    }
    await this.#sleep(POLL_MS, "stored");
  }

  #moved(): void {
    this.#movedAt = performance.now();
    this.#probes = 0;
  }

  /** The server may have lost something, so the next probe comes soon. */
  async #reconnected(): Promise<void> {
    this.#moved();
    await this.#readCursor();
    this.#nudge();
  }

  async #readCursor(): Promise<void> {
    const { connection, link, host } = this.#options;
    if (!link.isUp) return;
    try {
      const manager = await jetstreamManager(connection, { checkAPI: false });
      const found = await manager.direct.getMessage(bucketStream(buckets.cursor), { last_by_subj: subjects.key(buckets.cursor, host) });
      if (found !== null) this.#confirm(found.data);
    } catch {
      // The bucket may be gone. What was saved of it, and the fleet hub's requests, are enough to go on.
    }
  }

  /** A replica may answer with an old position, so it never goes back here: only the fleet hub's request does that. */
  #confirm(data: Uint8Array): void {
    const cursor = readCursor(data);
    if (cursor?.store !== this.#options.events.storeId || cursor.position <= this.#confirmed) return;
    // Of a store that was set back, the fleet knows more than there is. What is not sent yet, or to be sent again, an old cursor cannot confirm.
    if (cursor.position > (this.#isBegun ? this.#sent : this.#last)) return;
    this.#confirmed = cursor.position;
    this.#moved();
  }

  /** What is not saved is only sent twice. */
  async #save(): Promise<void> {
    if (this.#saved === this.#confirmed) return;
    this.#saved = this.#confirmed;
    await this.#options.events.setMark(this.#marks.confirmed, this.#confirmed).catch(() => {});
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
    await after(ms, undefined, { ref: false, signal: done.signal }).catch(() => {});
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
