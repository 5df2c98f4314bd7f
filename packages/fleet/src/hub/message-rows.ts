import { setTimeout as after } from "node:timers/promises";
import type { JetStreamManager } from "@nats-io/jetstream";
import type { Accepted, FleetEvents } from "hookline/internal/fleet";
import type { EventMessage } from "../nats/event-message.js";
import { getLargeEvent, type Pointer, readPointer } from "../nats/large-event.js";
import type { HostTable } from "./host-table.js";

const LARGE_TRIES = 4;
const LARGE_PAUSE_MS = 150;

export interface MessageRowsOptions {
  readonly manager: JetStreamManager;
  /** The name of this fleet hub. */
  readonly hub: string;
  readonly events: Pick<FleetEvents, "accept">;
  readonly hosts: HostTable;
  /** Ends a wait for a large event. */
  readonly signal: AbortSignal;
}

export type HostMessage = EventMessage & { readonly host: string };

/** What a message brings into the store. */
export interface MessageRows {
  readonly rows: readonly Accepted[];
  /** The large event that the object store need not keep once the rows are stored. */
  readonly pointer?: Pointer;
}

/** Makes rows of messages. What is not an event becomes a record of what is missing, so that what follows can be stored. */
export class MessageReader {
  readonly #options: MessageRowsOptions;
  /** Hosts with a large event that is not there. Waiting for each of them would hold the part. */
  #late = new Set<string>();

  constructor(options: MessageRowsOptions) {
    this.#options = options;
  }

  /** The next messages: a host that was late may be in time again. */
  begin(): void {
    this.#late = new Set();
  }

  /** `reached`: the store has everything of the host up to this position. `undefined` for a large event that is not there. */
  async rowsOf(message: HostMessage, reached: number): Promise<MessageRows | undefined> {
    const { kind, previous, position, body } = message;
    const isNew = position > reached;
    if (kind === "skip" || (kind === "gap" && !isNew)) return { rows: [] };
    if (kind === "gap") return { rows: this.#gap(message, reached, "The host's retention removed the events before they were sent.") };
    if (kind === "event") return { rows: this.#line(message, body, reached) };
    if (kind === "large") return this.#large(message, reached);
    const lines = body.split("\n");
    if (lines.length === position - previous)
      return { rows: lines.flatMap((line, index) => this.#line({ ...message, position: previous + index + 1 }, line, reached)) };
    return { rows: isNew ? this.#gap(message, reached, "The message has another number of events than it says.") : [] };
  }

  #line(message: HostMessage, line: string, reached: number): readonly Accepted[] {
    const { host, position } = message;
    const accepted = this.#options.events.accept(line, host);
    if (!("code" in accepted)) return [accepted];
    return position > reached ? this.#gap(message, position - 1, `The fleet hub refused it: ${accepted.reason}`) : [];
  }

  async #large(message: HostMessage, reached: number): Promise<MessageRows | undefined> {
    const { host, position, body } = message;
    const isNew = position > reached;
    const pointer = readPointer(body);
    if (pointer === undefined) return { rows: isNew ? this.#gap(message, position - 1, "The pointer to a large event is malformed.") : [] };
    const line = await this.#find(host, pointer, isNew && !this.#late.has(host) ? LARGE_TRIES : 1);
    if (line !== undefined) return { rows: this.#line(message, line, reached), pointer };
    if (!isNew) return { rows: [] };
    this.#late.add(host);
    return undefined;
  }

  /** A record of events that are not here and will not come. */
  #gap({ host, store, position }: HostMessage, from: number, reason: string): readonly Accepted[] {
    const { events, hub, hosts } = this.#options;
    const count = position - from;
    hosts.missing(host, count);
    const envelope = {
      v: 2,
      // The same gap has the same id, however often it is told.
      id: `gap-${store}-${from}-${position}`,
      seq: 0,
      at: new Date().toISOString(),
      event: "fleet:gap",
      source: { app: "hookline-fleet", host: hub, pid: process.pid, instance: "fleet" },
      payload: { missing: { count, after: from, upTo: position, store }, reason },
      hops: [],
    };
    const accepted = events.accept(JSON.stringify(envelope), host);
    return "code" in accepted ? [] : [accepted];
  }

  /** A replica may not have all chunks yet. */
  async #find(host: string, pointer: Pointer, tries: number): Promise<string | undefined> {
    const { manager, signal } = this.#options;
    for (let failures = 0; ; ) {
      signal.throwIfAborted();
      const body = await getLargeEvent(manager, host, pointer);
      if (body !== undefined || ++failures >= tries) return body;
      await after(LARGE_PAUSE_MS * 2 ** (failures - 1), undefined, { ref: false, signal });
    }
  }
}
