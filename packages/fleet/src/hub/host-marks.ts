import type { FleetEvents } from "hookline/internal/fleet";
import type { EventMessage } from "../nats/event-message.js";

const PREFIX = "fleet-host:";

/** What to do with a message of a host. `missing`: events before it have not arrived, so it cannot be stored yet. */
export type Step = "take" | "again" | "missing";

/** How far the fleet's store has got with each host's store. */
export class HostMarks {
  readonly #positions: Map<string, number>;

  private constructor(positions: Map<string, number>) {
    this.#positions = positions;
  }

  static async load(events: Pick<FleetEvents, "marks">): Promise<HostMarks> {
    return new HostMarks(new Map(Object.entries(await events.marks(PREFIX))));
  }

  static nameOf(host: string, store: string): string {
    return `${PREFIX}${host}:${store}`;
  }

  position(host: string, store: string): number {
    return this.#positions.get(HostMarks.nameOf(host, store)) ?? 0;
  }

  /** Every host's stores. */
  *list(): Iterable<{ readonly host: string; readonly store: string; readonly position: number }> {
    for (const [name, position] of this.#positions) {
      const [host = "", store = ""] = name.slice(PREFIX.length).split(":");
      yield { host, store, position };
    }
  }

  /** After a commit. What came from the stream and what came straight from the host may be committed at the same time. */
  settle(marks: { readonly [name: string]: number }): void {
    for (const [name, position] of Object.entries(marks))
      if (name.startsWith(PREFIX)) this.#positions.set(name, Math.max(position, this.#positions.get(name) ?? 0));
  }
}

/** The positions that a batch gets to, if it is committed. */
export class BatchMarks {
  readonly #marks: HostMarks;
  readonly #before: ReadonlyMap<string, number>;
  readonly #reached = new Map<string, number>();

  /** `before`: the batch before this one, while it is being committed. */
  constructor(marks: HostMarks, before?: BatchMarks) {
    this.#marks = marks;
    this.#before = before === undefined ? new Map() : before.#reached;
  }

  position(host: string, store: string): number {
    const name = HostMarks.nameOf(host, store);
    return this.#reached.get(name) ?? this.#before.get(name) ?? this.#marks.position(host, store);
  }

  stepOf(host: string, { store, previous, position }: Pick<EventMessage, "store" | "previous" | "position">): Step {
    const reached = this.position(host, store);
    if (position <= reached) return "again";
    return previous > reached ? "missing" : "take";
  }

  reach(host: string, { store, position }: Pick<EventMessage, "store" | "position">): void {
    this.#reached.set(HostMarks.nameOf(host, store), position);
  }

  toObject(): { readonly [name: string]: number } {
    return Object.fromEntries(this.#reached);
  }
}
