import type { Bus } from "../../bus/bus.js";

/** Tells of a transcript's head. Never recorded: the record of it would have another head. */
export const HEAD_EVENT = "transcript:head";
/** How often at most, while entries come. */
const PERIOD_MS = 10_000;

/** What the hub, or a sink, keeps of a transcript. `id` is the hash of its first entry, so a file is known by it wherever it is moved. */
interface ToldHead {
  readonly id: string;
  readonly n: number;
  readonly hash: string;
  readonly closed: boolean;
  readonly path?: string;
}

/** Emits the head of a transcript on the buses it records: a copy elsewhere shows later that the end was cut off, or the whole chain recomputed. */
export class HeadTeller {
  readonly #read: () => ToldHead | undefined;
  readonly #buses = new Set<Pick<Bus, "emitSync">>();
  #timer: NodeJS.Timeout | undefined;
  #told: string | undefined;

  constructor(read: () => ToldHead | undefined) {
    this.#read = read;
  }

  add(bus: Pick<Bus, "emitSync">): void {
    this.#buses.add(bus);
    this.tell();
  }

  remove(bus: Pick<Bus, "emitSync">): void {
    this.#buses.delete(bus);
  }

  /** The transcript is closed: these hear of it, and nothing comes after. */
  last(buses: readonly Pick<Bus, "emitSync">[]): void {
    for (const bus of buses) this.#buses.add(bus);
    this.tell();
    this.#buses.clear();
  }

  /** An entry was written: its head is told within the period, together with those that follow. */
  changed(): void {
    if (this.#buses.size === 0) return;
    this.#timer ??= setTimeout(() => this.tell(), PERIOD_MS).unref();
  }

  tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const transcript = this.#read();
    if (transcript === undefined || transcript.hash === this.#told) return;
    this.#told = transcript.hash;
    for (const bus of this.#buses) bus.emitSync(HEAD_EVENT, { transcript });
  }
}
