import { setTimeout as after } from "node:timers/promises";
import { errorText, HookError } from "@hookline/core/internal/machine";
import { backoffDelay } from "@hookline/core/internal/wire";
import { JetStreamApiError, type JetStreamManager, type JsMsg, jetstreamManager, type StreamInfo } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Accepted, FleetEvents } from "hookline/internal/fleet";
import { type EventMessage, readMessage } from "../nats/event-message.js";
import { getLargeEvent, type Pointer, readPointer, removeLargeEvent } from "../nats/large-event.js";
import { eventStream, partOf } from "../nats/subjects.js";
import type { Confirmations } from "./confirmations.js";
import { BatchMarks, type HostMarks } from "./host-marks.js";
import type { HostTable } from "./host-table.js";
import { claimPart } from "./part-owner.js";
import { PartStream } from "./part-stream.js";
import type { ResendRequests } from "./resend-requests.js";

const RETRY = { baseMs: 250, maxMs: 3000, jitter: 0.5 };
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
  /** While the part is this hub's and is read. */
  #stream: PartStream | undefined;
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
      while (!this.#stop.signal.aborted && !this.#isStale && !stream.isOver) {
        const batch = await stream.next();
        if (batch.length === 0) continue;
        await this.#take(manager, stream, batch);
        this.#failures = 0;
      }
      if (stream.fault !== undefined && !this.#stop.signal.aborted) throw stream.fault;
      // The next consumer begins with the oldest message that the server has.
      if (!this.#isStale) await stream.purge();
    } finally {
      this.#stream = undefined;
      stream.close();
    }
  }

  async #open(manager: JetStreamManager): Promise<PartStream> {
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
    return PartStream.open(connection, manager, info);
  }

  /** Tells the hosts of this part how far the store has got: a new bucket does not know, and hosts that wait try again. */
  #greet(): void {
    const { marks, part, confirmations, hosts } = this.#options;
    for (const { host, store, position } of marks.list())
      if (partOf(host) === part && hosts.isCurrent(host, store)) confirmations.confirm(host, store, position);
    for (const host of hosts.names()) if (partOf(host) === part) this.compare(host);
  }

  /** Stores what can be stored, in one transaction with the marks; only then is anything acknowledged. */
  async #take(manager: JetStreamManager, stream: PartStream, batch: readonly JsMsg[]): Promise<void> {
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
    stream.commit(batch);
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
