import { setTimeout as after } from "node:timers/promises";
import { errorText, HookError } from "@hookline/core/internal/machine";
import { backoffDelay } from "@hookline/core/internal/wire";
import { JetStreamApiError, type JetStreamManager, type JsMsg, jetstreamManager, type StreamInfo } from "@nats-io/jetstream";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import type { FleetEvents } from "hookline/internal/fleet";
import { removeLargeEvent } from "../nats/large-event.js";
import { eventStream, partOf } from "../nats/subjects.js";
import type { Confirmations } from "./confirmations.js";
import { DirectEvents } from "./direct-events.js";
import type { HostMarks } from "./host-marks.js";
import type { HostTable } from "./host-table.js";
import { type Intake, takeIn } from "./intake.js";
import { MessageReader } from "./message-rows.js";
import { claimPart } from "./part-owner.js";
import { PartStream } from "./part-stream.js";
import type { ResendRequests } from "./resend-requests.js";

const RETRY = { baseMs: 250, maxMs: 3000, jitter: 0.5 };
const NOBODY: Pick<ResendRequests, "ask"> = { ask: () => {} };
type Marks = Parameters<FleetEvents["append"]>[1];

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

/** Brings the events of one part into the store: exactly once, and for each host in the order of its own store. */
export class PartReader {
  readonly #options: PartReaderOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  /** While the part is this hub's and is read. */
  #stream: PartStream | undefined;
  /** From when the part is this hub's, also while it cannot be read. */
  #direct: DirectEvents | undefined;
  /** Ends a pause after a failure. */
  #retry = (): void => {};
  #isStale = false;
  #failures = 0;
  #sequenceMark = "";
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
    this.#stream?.wake();
    this.#retry();
  }

  /**
   * Asks a host to send again what was confirmed to it and is not in the store: the store was lost or is an older one. A host that waits for
   * nothing would never notice.
   */
  compare(host: string): void {
    const { marks, hosts, resends } = this.#options;
    const confirmed = hosts.confirmedTo(host);
    if (this.#stream === undefined || confirmed === undefined) return;
    const position = marks.position(host, confirmed.store);
    if (confirmed.position > position) resends.ask(host, confirmed.store, position);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#retry();
    this.#stream?.wake();
    await this.#running;
    this.#direct?.close();
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
    const stream = await this.#open(manager);
    this.#stream = stream;
    this.#error = undefined;
    this.#isStale = false;
    this.#greet();
    try {
      await this.#follow(manager, stream);
      if (stream.fault !== undefined && !this.#stop.signal.aborted) throw stream.fault;
      // The next consumer begins with the oldest message that the server has.
      if (!this.#isStale) await stream.purge();
    } finally {
      this.#stream = undefined;
      stream.close();
    }
  }

  /** While messages are stored, the next ones are made ready. They are stored only if those before them were. */
  async #follow(manager: JetStreamManager, stream: PartStream): Promise<void> {
    const { hub, events, marks, hosts, resends } = this.#options;
    const { signal } = this.#stop;
    const reader = new MessageReader({ manager, hub, events, hosts, signal });
    stream.onRoom = () => this.#greet();
    let storing: { readonly intake: Intake; readonly done: Promise<{ readonly error?: unknown }> } | undefined;
    let failed: { readonly error?: unknown } = {};
    const store = async (intake: Intake, messages: readonly JsMsg[]): Promise<{ readonly error?: unknown }> => {
      try {
        const sequence = messages.reduce((last, { seq }) => Math.max(last, seq), 0);
        await this.#store(manager, intake, { [this.#sequenceMark]: sequence });
        stream.commit(messages);
        this.#failures = 0;
        return {};
      } catch (error) {
        failed = { error };
        stream.wake();
        return failed;
      } finally {
        storing = undefined;
      }
    };
    const isOver = (): boolean => signal.aborted || this.#isStale || stream.isOver || failed.error !== undefined;
    try {
      while (!isOver()) {
        const messages = await stream.next();
        if (messages.length === 0) continue;
        const intake = await takeIn(messages, { reader, marks, resends, before: storing?.intake });
        await storing?.done;
        if (failed.error === undefined) storing = { intake, done: store(intake, messages) };
      }
    } finally {
      await storing?.done;
    }
    if (failed.error !== undefined) throw failed.error;
  }

  async #open(manager: JetStreamManager): Promise<PartStream> {
    const { connection, part, hub, events, onProblem } = this.#options;
    const stream = eventStream(part);
    const info = await streamInfo(manager, stream);
    await claimPart(connection, manager, part, hub).catch((error: unknown) => {
      // Another hub's, or not to be found out now: then the part stays this hub's if it was.
      if (error instanceof HookError) this.#noLonger();
      throw error;
    });
    this.#direct ??= new DirectEvents(connection, part, (messages) => this.#takeDirectly(manager, messages));
    this.#sequenceMark = `fleet-stream:${stream}:${info.created}`;
    const stored = (await events.mark(this.#sequenceMark)) ?? 0;
    if (info.state.last_seq < stored)
      onProblem(
        `The server has lost the last ${stored - info.state.last_seq} messages of ${stream}. The hosts send again what is missing.`,
      );
    return PartStream.open(connection, manager, info);
  }

  /** Tells the hosts of this part how far the store has got: a new bucket does not know, and hosts that wait try again. */
  #greet(): void {
    const { marks, part, confirmations, hosts } = this.#options;
    for (const { host, store, position } of marks.list())
      if (partOf(host) === part && hosts.isCurrent(host, store)) confirmations.confirm(host, store, position);
    for (const host of hosts.names()) if (partOf(host) === part) this.compare(host);
  }

  #noLonger(): void {
    this.#direct?.close();
    this.#direct = undefined;
  }

  /**
   * The same events may come from the stream, too, now or later; the store takes each once. While the stream brings messages, what a host
   * gave before these is on its way, and is not asked for again.
   */
  async #takeDirectly(manager: JetStreamManager, messages: readonly Msg[]): Promise<void> {
    const { hub, events, marks, hosts, resends } = this.#options;
    const reader = new MessageReader({ manager, hub, events, hosts, signal: this.#stop.signal });
    const isBusy = this.#stream?.isBusy === true;
    await this.#store(manager, await takeIn(messages, { reader, marks, resends: isBusy ? NOBODY : resends, before: undefined }));
  }

  /** Stores what can be stored, in one transaction with the marks; only then is anything acknowledged. */
  async #store(manager: JetStreamManager, { rows, reached, told, large }: Intake, more: Marks = {}): Promise<void> {
    const { events, marks, hosts, confirmations } = this.#options;
    const settled = reached.toObject();
    await events.append(rows, { ...settled, ...more });
    marks.settle(settled);
    for (const { host, store, count, isNew } of told) hosts.stored({ host, store }, count, isNew);
    for (const { host, store } of told) confirmations.confirm(host, store, marks.position(host, store));
    for (const { host, pointer } of large) await removeLargeEvent(manager, host, pointer).catch(() => {});
  }

  async #pause(ms: number): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const done = new AbortController();
    this.#retry = () => done.abort();
    await after(ms, undefined, { ref: false, signal: done.signal }).catch(() => {});
    this.#retry = () => {};
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
