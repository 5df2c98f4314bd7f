import { messageOf } from "../bus/describe-error.js";
import { HookError } from "../catalog/errors.js";
import { isPassing } from "../machine/passing-error.js";
import { Fifo } from "../wire/fifo.js";
import type { Backlog, BacklogLimits } from "./backlog.js";
import type { Ledger } from "./ledger.js";
import type { LineWriter } from "./line-writer.js";
import type { Outgoing } from "./outgoing.js";
import { SegmentReader } from "./segment-reader.js";
import type { Segments } from "./segments.js";

export interface DurableOptions {
  readonly segments: Segments;
  readonly limits: BacklogLimits;
  readonly ledger: Ledger;
  readonly writeLine: LineWriter;
  readonly report: (error: HookError) => void;
}

/** How much of the head is kept in memory, and how long the disk is left alone after it failed. */
const WINDOW_COUNT = 2_048;
const WINDOW_BYTES = 4 * 1024 * 1024;
const DISK_PAUSE_MS = 1_000;
/** Older than anything else, and temporarily unavailable. */
const LATER = Symbol();

/** Every event is on disk before it is anything else. Memory holds the next to be sent, and what the disk would not take. */
export class DurableBacklog implements Backlog {
  readonly #options: DurableOptions;
  readonly #window = new Fifo<Outgoing>();
  readonly #reader = new SegmentReader();
  readonly #aside = new Fifo<Outgoing>();
  #out = 0;
  #diskFrom = Number.NEGATIVE_INFINITY;
  #readFrom = Number.NEGATIVE_INFINITY;

  constructor(options: DurableOptions) {
    this.#options = options;
  }

  get pending(): number {
    return this.#window.size + this.#reader.count + this.#aside.size + this.#out;
  }

  get firstOrder(): number {
    const first = this.#window.first ?? this.#head();
    return first === LATER ? 0 : (first?.order ?? Number.POSITIVE_INFINITY);
  }

  push(item: Outgoing): void {
    const { ledger, writeLine } = this.#options;
    const line = writeLine(item);
    if (line === undefined) return ledger.drop("oversize");
    const stored = this.#store(item, Buffer.from(`${line}\n`));
    if (stored === "full") return ledger.drop("spool_full");
    if (stored === "failed") return this.#putAside(item);
    if (this.#reader.count > 0 || this.#aside.size > 0 || this.#window.size >= WINDOW_COUNT || this.#window.bytes >= WINDOW_BYTES)
      this.#reader.left(stored.segment, stored.offset);
    else this.#window.push(item);
  }

  next(): Outgoing | undefined {
    const item = this.#window.shift() ?? this.#takeHead();
    if (item !== undefined) this.#out++;
    return item;
  }

  putBack(items: readonly Outgoing[]): void {
    this.#out -= items.length;
    this.#window.putBack(items);
  }

  settle(item: Outgoing): void {
    this.#out--;
    if (item.segment !== undefined) this.#options.segments.settle(item.segment);
  }

  release(): { left: number; rest: Outgoing[] } {
    const held = this.#window.drain();
    const rest = [...held.filter(({ segment }) => segment === undefined), ...this.#aside.drain()];
    const left = held.length + this.#reader.count - held.filter(({ segment }) => segment === undefined).length;
    this.#reader.count = 0;
    this.#options.segments.release();
    return { left, rest };
  }

  #store(item: Outgoing, line: Buffer): "full" | "failed" | { segment: NonNullable<Outgoing["segment"]>; offset: number } {
    const now = performance.now();
    if (now < this.#diskFrom) return "failed";
    try {
      const segment = this.#options.segments.append(line);
      if (segment === undefined) return "full";
      item.segment = segment;
      item.bytes = line.length;
      return { segment, offset: segment.size - line.length };
    } catch (cause) {
      // A disk that fails is not tried for each event.
      this.#diskFrom = now + DISK_PAUSE_MS;
      this.#options.report(failed("An event could not be written to the spool, so it waits in memory", cause));
      return "failed";
    }
  }

  #putAside(item: Outgoing): void {
    const { limits, ledger } = this.#options;
    if (this.#aside.size >= limits.maxCount || this.#aside.bytes + item.bytes > limits.maxBytes) return ledger.drop("queue_full");
    this.#aside.push(item);
  }

  /** The older of what only the disk holds and what only memory holds. */
  #head(): Outgoing | typeof LATER | undefined {
    const onDisk = this.#peekDisk();
    if (onDisk === LATER) return LATER;
    const aside = this.#aside.first;
    return aside !== undefined && aside.order < (onDisk?.order ?? Number.POSITIVE_INFINITY) ? aside : onDisk;
  }

  #takeHead(): Outgoing | undefined {
    const head = this.#head();
    if (head === LATER) return undefined;
    return head === undefined || head !== this.#aside.first ? this.#reader.take() : this.#aside.shift();
  }

  #peekDisk(): Outgoing | typeof LATER | undefined {
    while (this.#reader.count > 0) {
      if (performance.now() < this.#readFrom) return LATER;
      try {
        return this.#reader.peek();
      } catch (cause) {
        if (isPassing(cause)) {
          this.#readFrom = performance.now() + DISK_PAUSE_MS;
          this.#options.report(failed("Events cannot be read back from the spool yet", cause));
          return LATER;
        }
        this.#options.ledger.drop("spool_failed", this.#reader.skip());
        this.#options.report(failed("Events could not be read back from the spool", cause));
      }
    }
    return undefined;
  }
}

function failed(what: string, cause: unknown): HookError {
  return new HookError("HL_SPOOL_FAILED", `${what}: ${messageOf(cause)}.`, { cause });
}
