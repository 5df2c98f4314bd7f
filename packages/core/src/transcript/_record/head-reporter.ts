import type { Bus } from "../../bus/bus.js";

/** Carries a transcript's head. It is never recorded, because its entry would change the head. */
export const HEAD_EVENT = "transcript:head";
/** The shortest time between two reports. */
const PERIOD_MS = 10_000;

/** What the hub, or a sink, keeps of a transcript. `id` is the hash of its first entry, so it identifies a file that was moved. */
interface ReportedHead {
  readonly id: string;
  readonly n: number;
  readonly hash: string;
  readonly closed: boolean;
  readonly path?: string;
}

/** Emits the head of a transcript on the buses it records: a copy elsewhere shows later that the end was cut off, or the whole chain recomputed. */
export class HeadReporter {
  readonly #read: () => ReportedHead | undefined;
  readonly #buses = new Set<Pick<Bus, "emitSync">>();
  #timer: NodeJS.Timeout | undefined;
  #reported: string | undefined;

  constructor(read: () => ReportedHead | undefined) {
    this.#read = read;
  }

  add(bus: Pick<Bus, "emitSync">): void {
    this.#buses.add(bus);
    this.report();
  }

  remove(bus: Pick<Bus, "emitSync">): void {
    this.#buses.delete(bus);
  }

  /** The transcript is closed: reports its last head to these buses, and nothing afterwards. */
  last(buses: readonly Pick<Bus, "emitSync">[]): void {
    for (const bus of buses) this.#buses.add(bus);
    this.report();
    this.#buses.clear();
  }

  /** An entry was written: its head is reported within the period, together with those that follow. */
  changed(): void {
    if (this.#buses.size === 0) return;
    this.#timer ??= setTimeout(() => this.report(), PERIOD_MS).unref();
  }

  report(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const transcript = this.#read();
    if (transcript === undefined || transcript.hash === this.#reported) return;
    this.#reported = transcript.hash;
    for (const bus of this.#buses) bus.emitSync(HEAD_EVENT, { transcript });
  }
}
