import { setTimeout as after } from "node:timers/promises";
import { errorText, HookError } from "@hookline/core/internal/machine";
import { backoffDelay } from "@hookline/core/internal/wire";
import {
  AckPolicy,
  type ConsumerInfo,
  type ConsumerMessages,
  DeliverPolicy,
  JetStreamApiError,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  jetstreamManager,
  type StreamInfo,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import type { Accepted, FleetEvents } from "hookline/internal/fleet";
import { type EventMessage, readMessage } from "../nats/event-message.js";
import { getLargeEvent, type Pointer, readPointer, removeLargeEvent } from "../nats/large-event.js";
import { eventStream, partOf } from "../nats/subjects.js";
import type { Confirmations } from "./confirmations.js";
import { BatchMarks, type HostMarks } from "./host-marks.js";
import type { HostTable } from "./host-table.js";
import { claimPart } from "./part-owner.js";
import type { ResendRequests } from "./resend-requests.js";

/** One durable consumer per part. An acknowledgement is for all messages up to its own. */
const CONSUMER = "hub";
const ACK_WAIT_MS = 30_000;
/** What the server sends before it waits for acknowledgements. */
const MAX_PENDING = 4000;
const MAX_BATCH = 1000;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/**
 * With more than this in memory, the hub stores it before it asks for more. The client library can ask for a number of bytes, but pauses for
 * seconds when the next message is larger than what is left of it.
 */
const MAX_QUEUE_BYTES = 16 * 1024 * 1024;
const WATCH_MS = 15_000;
/** How often, at most, messages that are stored are removed from the stream. */
const PURGE_MS = 1000;
const RETRY = { baseMs: 250, maxMs: 3000, jitter: 0.5 };
/** A request for messages that the server has forgotten is noticed after half of this. */
const PULL_MS = 4000;
const LARGE_TRIES = 4;
const LARGE_PAUSE_MS = 150;

export interface PartReaderOptions {
  readonly connection: NatsConnection;
  readonly part: string;
  /** The name of this fleet hub. */
  readonly hub: string;
  readonly events: FleetEvents;
  readonly marks: HostMarks;
  readonly hosts: HostTable;
  readonly confirmations: Confirmations;
  readonly resends: ResendRequests;
  readonly onProblem: (text: string) => void;
}

type Message = EventMessage & { readonly host: string };

/** Brings the events of one part into the store: exactly once, and for each host in the order of its own store. */
export class PartReader {
  readonly #options: PartReaderOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #queue: JsMsg[] = [];
  #queueBytes = 0;
  #wake = (): void => {};
  /** Too much is in memory: the consumer is ended, and the next one begins when all of it is stored. */
  #isFull = false;
  /** Ends a pause after a failure. */
  #retry = (): void => {};
  #isStale = false;
  /** The part is this hub's, and its messages come. */
  #isReading = false;
  #failures = 0;
  #sequenceMark = "";
  /** The fleet's store has every message up to this one of the stream. */
  #committed = 0;
  /** The stream has no message up to this one any more. */
  #purged = 0;
  #purgedAt = 0;
  #error: string | undefined;

  constructor(options: PartReaderOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Why the part is not read now. */
  get error(): string | undefined {
    return this.#error;
  }

  /** The connection was lost and is there again: the hub asks again for what was on its way. */
  reconnected(): void {
    this.#isStale = true;
    this.#wake();
    this.#retry();
  }

  /**
   * Asks a host to send again what was confirmed to it and is not in the store: the store was lost or is an older one. A host that waits for
   * nothing would never notice.
   */
  compare(host: string): void {
    const { marks, hosts, resends } = this.#options;
    const confirmed = hosts.confirmedTo(host);
    if (!this.#isReading || confirmed === undefined) return;
    const position = marks.position(host, confirmed.store);
    if (confirmed.position > position) resends.ask(host, confirmed.store, position);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#retry();
    this.#wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#read();
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        if (this.#failures === 0) this.#options.onProblem(`Part ${this.#options.part} of the fleet is not read: ${errorText(error)}`);
        this.#error = errorText(error);
        await this.#pause(backoffDelay(this.#failures++, RETRY));
      }
    }
  }

  async #read(): Promise<void> {
    const { connection } = this.#options;
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const messages = await this.#open(manager);
    this.#error = undefined;
    this.#isReading = true;
    this.#greet();
    let isOver: Error | undefined;
    this.#isStale = false;
    void messages.closed().then((error) => {
      isOver = error instanceof Error ? error : new HookError("HL_FLEET_SERVER", "The server ended the consumer.");
      this.#wake();
    });
    let seenAt = performance.now();
    try {
      while (!this.#stop.signal.aborted && !this.#isStale && (isOver === undefined || (this.#isFull && this.#queue.length > 0))) {
        if (this.#queue.length === 0) await this.#sleep(this.#committed > this.#purged ? PURGE_MS : WATCH_MS);
        const batch = this.#nextBatch();
        if (batch.length > 0) {
          seenAt = performance.now();
          await this.#take(manager, batch);
          this.#failures = 0;
        } else if (performance.now() - seenAt >= WATCH_MS) {
          // A consumer may die without a word.
          await this.#check(manager);
          seenAt = performance.now();
        }
        if (performance.now() - this.#purgedAt >= PURGE_MS) await this.#purge(manager);
      }
      // The next consumer begins with the oldest message that the stream has.
      if (this.#isFull) await this.#purge(manager);
      else if (isOver !== undefined) throw isOver;
    } finally {
      this.#isReading = false;
      messages.stop();
      // It comes again: the next consumer begins with what is not acknowledged.
      this.#queue = [];
      if (this.#stop.signal.aborted) await this.#purge(manager).catch(() => {});
    }
  }

  #nextBatch(): readonly JsMsg[] {
    let [count, bytes] = [0, 0];
    while (count < Math.min(MAX_BATCH, this.#queue.length) && bytes < MAX_BATCH_BYTES) bytes += this.#queue[count++]?.data.length ?? 0;
    this.#queueBytes -= bytes;
    return this.#queue.splice(0, count);
  }

  /** Makes room in the stream. A full one refuses the events of the hosts until then. */
  async #purge(manager: JetStreamManager): Promise<void> {
    const committed = this.#committed;
    if (committed <= this.#purged) return;
    this.#purgedAt = performance.now();
    await manager.streams.purge(eventStream(this.#options.part), { seq: committed + 1 });
    this.#purged = committed;
  }

  async #open(manager: JetStreamManager): Promise<ConsumerMessages> {
    const { connection, part, hub, events, onProblem } = this.#options;
    const stream = eventStream(part);
    const info = await streamInfo(manager, stream);
    await claimPart(connection, manager, part, hub);
    this.#sequenceMark = `fleet-stream:${stream}:${info.created}`;
    const stored = (await events.mark(this.#sequenceMark)) ?? 0;
    if (info.state.last_seq < stored)
      onProblem(
        `The server has lost the last ${stored - info.state.last_seq} messages of ${stream}. The hosts send again what is missing.`,
      );
    const kept = await renewConsumer(manager, info);
    this.#purged = info.state.first_seq - 1;
    this.#committed = kept?.ack_floor.stream_seq ?? 0;
    const consumer = await jetstream(connection).consumers.get(stream, CONSUMER);
    this.#queue = [];
    this.#queueBytes = 0;
    this.#isFull = false;
    let messages: ConsumerMessages | undefined;
    messages = await consumer.consume({
      max_messages: MAX_BATCH,
      expires: PULL_MS,
      abort_on_missing_resource: true,
      callback: (message) => {
        this.#queue.push(message);
        this.#queueBytes += message.data.length;
        this.#isFull ||= this.#queueBytes > MAX_QUEUE_BYTES;
        if (this.#isFull) messages?.stop();
        this.#wake();
      },
    });
    return messages;
  }

  /** Tells the hosts of this part how far the store has got: a new bucket does not know, and hosts that wait try again. */
  #greet(): void {
    const { marks, part, confirmations, hosts } = this.#options;
    for (const { host, store, position } of marks.list())
      if (partOf(host) === part && hosts.isCurrent(host, store)) confirmations.confirm(host, store, position);
    for (const host of hosts.names()) if (partOf(host) === part) this.compare(host);
  }

  async #check(manager: JetStreamManager): Promise<void> {
    const { num_pending: pending } = await manager.consumers.info(eventStream(this.#options.part), CONSUMER);
    if (pending > 0 && this.#queue.length === 0) throw new HookError("HL_FLEET_SERVER", "The server has messages but sends none.");
  }

  /** Stores what can be stored, in one transaction with the marks; only then is anything acknowledged. */
  async #take(manager: JetStreamManager, batch: readonly JsMsg[]): Promise<void> {
    const { events, marks, hosts } = this.#options;
    const reached = new BatchMarks(marks);
    const rows: Accepted[] = [];
    const stored: { readonly host: string; readonly pointer: Pointer }[] = [];
    const told: { readonly host: string; readonly store: string; readonly isNew: boolean }[] = [];
    /** Hosts with a large event that is not there. Waiting for each of them would hold the part. */
    const late = new Set<string>();
    let sequence = 0;
    for (const received of batch) {
      sequence = Math.max(sequence, received.seq);
      const message = readMessage(received);
      if (message === undefined) {
        hosts.refused(received.subject.split(".")[3] ?? "");
        continue;
      }
      const { host, store } = message;
      const step = reached.stepOf(host, message);
      if (step === "missing") {
        this.#options.resends.ask(host, store, reached.position(host, store));
        continue;
      }
      const isNew = step === "take";
      const taken = await this.#rowsOf(manager, message, { isNew, reached, late });
      if (taken === undefined) continue;
      rows.push(...taken.rows);
      if (taken.pointer !== undefined) stored.push({ host, pointer: taken.pointer });
      if (isNew) reached.reach(host, message);
      told.push({ host, store, isNew });
    }
    const settled = reached.toObject();
    await events.append(rows, { ...settled, [this.#sequenceMark]: sequence });
    marks.settle(settled);
    batch.find(({ seq }) => seq === sequence)?.ack();
    this.#committed = Math.max(this.#committed, sequence);
    for (const { host, store, isNew } of told) hosts.stored({ host, store }, isNew);
    for (const { host, store } of told) this.#options.confirmations.confirm(host, store, marks.position(host, store));
    for (const { host, pointer } of stored) await removeLargeEvent(manager, host, pointer).catch(() => {});
  }

  /** The rows for a message; `undefined` if it cannot be stored before the host has sent it again. */
  async #rowsOf(
    manager: JetStreamManager,
    message: Message,
    { isNew, reached, late }: { readonly isNew: boolean; readonly reached: BatchMarks; readonly late: Set<string> },
  ): Promise<{ readonly rows: readonly Accepted[]; readonly pointer?: Pointer } | undefined> {
    const { host, store, kind, position } = message;
    if (kind === "skip" || (kind === "gap" && !isNew)) return { rows: [] };
    const from = reached.position(host, store);
    if (kind === "gap") return { rows: this.#gap(message, from, "The host's retention removed the events before they were sent.") };
    const pointer = kind === "large" ? readPointer(message.body) : undefined;
    if (kind === "large" && pointer === undefined)
      return { rows: isNew ? this.#gap(message, position - 1, "The pointer to a large event is malformed.") : [] };
    const tries = isNew && !late.has(host) ? LARGE_TRIES : 1;
    const line = pointer === undefined ? message.body : await this.#findLarge(manager, host, { pointer, tries });
    if (line === undefined) {
      if (isNew) late.add(host);
      if (isNew) this.#options.resends.ask(host, store, from);
      return isNew ? undefined : { rows: [] };
    }
    const accepted = this.#options.events.accept(line, host);
    if ("code" in accepted) return { rows: isNew ? this.#gap(message, position - 1, `The fleet hub refused it: ${accepted.reason}`) : [] };
    return pointer === undefined ? { rows: [accepted] } : { rows: [accepted], pointer };
  }

  /** A record of events that are not here and will not come. */
  #gap({ host, store, position }: Message, after: number, reason: string): readonly Accepted[] {
    const { events, hub, hosts } = this.#options;
    const count = position - after;
    hosts.missing(host, count);
    const envelope = {
      v: 2,
      // The same gap has the same id, however often it is told.
      id: `gap-${store}-${after}-${position}`,
      seq: 0,
      at: new Date().toISOString(),
      event: "fleet:gap",
      source: { app: "hookline-fleet", host: hub, pid: process.pid, instance: "fleet" },
      payload: { missing: { count, after, upTo: position, store }, reason },
      hops: [],
    };
    const accepted = events.accept(JSON.stringify(envelope), host);
    return "code" in accepted ? [] : [accepted];
  }

  /** A replica may not have all chunks yet. */
  async #findLarge(
    manager: JetStreamManager,
    host: string,
    { pointer, tries }: { readonly pointer: Pointer; readonly tries: number },
  ): Promise<string | undefined> {
    const { signal } = this.#stop;
    for (let failures = 0; ; ) {
      signal.throwIfAborted();
      const body = await getLargeEvent(manager, host, pointer);
      if (body !== undefined || ++failures >= tries) return body;
      await after(LARGE_PAUSE_MS * 2 ** (failures - 1), undefined, { ref: false, signal });
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const done = new AbortController();
    this.#retry = () => done.abort();
    await after(ms, undefined, { ref: false, signal: done.signal }).catch(() => {});
    this.#retry = () => {};
  }

  async #sleep(ms: number): Promise<void> {
    const done = new AbortController();
    this.#wake = () => done.abort();
    if (this.#queue.length === 0 && !this.#stop.signal.aborted)
      await after(ms, undefined, { ref: false, signal: done.signal }).catch(() => {});
    this.#wake = () => {};
  }
}

async function streamInfo(manager: JetStreamManager, stream: string): Promise<StreamInfo> {
  try {
    return await manager.streams.info(stream);
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) throw error;
    throw new HookError("HL_FLEET_SERVER", `The server has no stream ${stream}: ${errorText(error)}.`, {
      fix: { run: "hookline fleet init" },
      cause: error,
    });
  }
}

/**
 * What a hub had fetched and not acknowledged would come again only after a while: a new consumer has it at once. The store knows what is new.
 * Gives the consumer that is there already, if it can go on.
 */
async function renewConsumer(manager: JetStreamManager, { config, state }: StreamInfo): Promise<ConsumerInfo | undefined> {
  const found = await manager.consumers.info(config.name, CONSUMER).catch(() => undefined);
  // A stream that has lost its end counts from there again.
  const isAhead = found !== undefined && found.delivered.stream_seq > state.last_seq;
  if (found?.num_ack_pending === 0 && found.config.ack_policy === AckPolicy.All && !isAhead) return found;
  if (found !== undefined) await manager.consumers.delete(config.name, CONSUMER);
  await manager.consumers.add(config.name, {
    durable_name: CONSUMER,
    ack_policy: AckPolicy.All,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: MAX_PENDING,
  });
  return undefined;
}
