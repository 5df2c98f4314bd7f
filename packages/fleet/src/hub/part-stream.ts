import { setTimeout as after } from "node:timers/promises";
import { HookError } from "@hookline/core/internal/machine";
import {
  AckPolicy,
  type ConsumerInfo,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  type StreamInfo,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";

/** One durable consumer per part. An acknowledgement is for all messages up to its own. */
const CONSUMER = "hub";
const ACK_WAIT_MS = 30_000;
/** What the server sends before it waits for acknowledgements. */
const MAX_PENDING = 4000;
const MAX_BATCH = 1000;
/** About 2,000 events of usual size: more in one transaction would make confirmations late. */
const MAX_BATCH_BYTES = 1024 * 1024;
/** What the server may send ahead. A message has up to 64 kB of events, or one large event. */
const MAX_AHEAD = 200;
/**
 * With more than this in memory, the hub stores it before it asks for more. The client library can ask for a number of bytes, but pauses for
 * seconds when the next message is larger than what is left of it.
 */
const MAX_QUEUE_BYTES = 16 * 1024 * 1024;
const WATCH_MS = 15_000;
/** How often, at most, messages that are stored are removed from the stream. */
const PURGE_MS = 1000;
/** … and sooner if they take this share of the room that the stream has: it would refuse the hosts' events. */
const PURGE_SHARE = 1 / 8;
/** After a message came or was stored: more are probably on their way. */
const BUSY_MS = 1000;
/** A request for messages that the server has forgotten is noticed after half of this. */
const PULL_MS = 4000;

/** The messages of one part as the server sends them: bounded in memory, acknowledged by batch, and removed from the server once they are stored. */
export class PartStream {
  readonly #manager: JetStreamManager;
  readonly #name: string;
  #messages: ConsumerMessages | undefined;
  #queue: JsMsg[] = [];
  #queueBytes = 0;
  /** Too much is in memory: the consumer is ended, and the next one begins when all of it is stored. */
  #isFull = false;
  #ended: Error | undefined;
  #wake = (): void => {};
  #seenAt = performance.now();
  /** The fleet's store has every message up to this one. */
  #committed: number;
  /** The server has no message up to this one any more. */
  #purged: number;
  #purgedAt = 0;
  readonly #maxBytes: number;
  #storedBytes = 0;
  #activeAt = Number.NEGATIVE_INFINITY;
  /** Told when much was removed, so that hosts for which there was no room try again. */
  onRoom = (): void => {};

  private constructor(manager: JetStreamManager, { config, state }: StreamInfo, kept: ConsumerInfo | undefined) {
    this.#manager = manager;
    this.#name = config.name;
    this.#maxBytes = config.max_bytes > 0 ? config.max_bytes : Number.POSITIVE_INFINITY;
    this.#purged = state.first_seq - 1;
    this.#committed = kept?.ack_floor.stream_seq ?? 0;
  }

  static async open(connection: NatsConnection, manager: JetStreamManager, info: StreamInfo): Promise<PartStream> {
    const stream = new PartStream(manager, info, await renewConsumer(manager, info));
    const consumer = await jetstream(connection).consumers.get(info.config.name, CONSUMER);
    const messages = await consumer.consume({
      max_messages: MAX_AHEAD,
      expires: PULL_MS,
      abort_on_missing_resource: true,
      callback: (message) => stream.#add(message),
    });
    stream.#messages = messages;
    void messages.closed().then((error) => {
      stream.#ended = error instanceof Error ? error : new HookError("HL_FLEET_SERVER", "The server ended the consumer.");
      stream.wake();
    });
    return stream;
  }

  /** The server sends messages, and they are stored. */
  get isBusy(): boolean {
    return performance.now() - this.#activeAt < BUSY_MS;
  }

  /** Nothing comes any more. */
  get isOver(): boolean {
    return this.#ended !== undefined && !(this.#isFull && this.#queue.length > 0);
  }

  /** Why nothing comes any more, unless that is only because too much had come at once. */
  get fault(): Error | undefined {
    return this.#isFull ? undefined : this.#ended;
  }

  /** The next messages, as soon as there are some. None after a while without any, or when something else happens. */
  async next(): Promise<readonly JsMsg[]> {
    if (this.#queue.length === 0) await this.#sleep(this.#committed > this.#purged ? PURGE_MS : WATCH_MS);
    let [count, bytes] = [0, 0];
    while (count < Math.min(MAX_BATCH, this.#queue.length) && bytes < MAX_BATCH_BYTES) bytes += this.#queue[count++]?.data.length ?? 0;
    this.#queueBytes -= bytes;
    if (count > 0) this.#seenAt = performance.now();
    // A consumer may die without a word.
    else if (performance.now() - this.#seenAt >= WATCH_MS) await this.#check();
    const batch = this.#queue.splice(0, count);
    // Not before the wait: a call of `wake` meanwhile would be lost.
    if (this.#isFilled || performance.now() - this.#purgedAt >= PURGE_MS) await this.purge();
    return batch;
  }

  /** Ends a wait for messages. */
  wake(): void {
    this.#wake();
  }

  /** A batch is stored. */
  commit(batch: readonly JsMsg[]): void {
    const last = batch.reduce<JsMsg | undefined>(
      (found, message) => (found === undefined || message.seq > found.seq ? message : found),
      undefined,
    );
    last?.ack();
    this.#activeAt = performance.now();
    for (const { data } of batch) this.#storedBytes += data.length;
    this.#committed = Math.max(this.#committed, last?.seq ?? 0);
    // A wait for messages is shorter while there is something to remove.
    this.#wake();
  }

  /** Removes what is stored from the server. A full stream refuses the events of the hosts until then. */
  async purge(): Promise<void> {
    const [committed, bytes, wasFilled] = [this.#committed, this.#storedBytes, this.#isFilled];
    if (committed <= this.#purged) return;
    this.#purgedAt = performance.now();
    await this.#manager.streams.purge(this.#name, { seq: committed + 1 });
    this.#purged = committed;
    this.#storedBytes -= bytes;
    if (wasFilled) this.onRoom();
  }

  /** What was not stored comes again: the next consumer begins with what is not acknowledged. */
  close(): void {
    this.#messages?.stop();
    this.#queue = [];
  }

  get #isFilled(): boolean {
    return this.#storedBytes >= this.#maxBytes * PURGE_SHARE;
  }

  #add(message: JsMsg): void {
    this.#activeAt = performance.now();
    this.#queue.push(message);
    this.#queueBytes += message.data.length;
    this.#isFull ||= this.#queueBytes > MAX_QUEUE_BYTES;
    if (this.#isFull) this.#messages?.stop();
    this.#wake();
  }

  async #check(): Promise<void> {
    this.#seenAt = performance.now();
    const { num_pending: pending } = await this.#manager.consumers.info(this.#name, CONSUMER);
    if (pending > 0 && this.#queue.length === 0) throw new HookError("HL_FLEET_SERVER", "The server has messages but sends none.");
  }

  async #sleep(ms: number): Promise<void> {
    const done = new AbortController();
    this.#wake = () => done.abort();
    await after(ms, undefined, { ref: false, signal: done.signal }).catch(() => {});
    this.#wake = () => {};
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
