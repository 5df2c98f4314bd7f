import { quietly } from "../catalog/errors.js";
import { Segment } from "./segment.js";
import { openSpool, spoolBytes } from "./spool-folder.js";
import type { SpoolWriter } from "./spool-writer.js";

const MAX_SEGMENT_BYTES = 4 * 1024 * 1024;
/** From here on a segment that is wholly settled is emptied at once. */
const EMPTY_BYTES = 64 * 1024;
const EMPTY_AFTER_MS = 1_000;
const REMEASURE_MS = 1_000;

export interface SegmentsOptions {
  readonly writer: SpoolWriter;
  readonly maxBytes: number;
}

/** The segments of one forwarder: a log that grows at one end and goes at the other. */
export class Segments {
  readonly #options: SegmentsOptions;
  readonly #all = new Set<Segment>();
  #current: Segment | undefined;
  /** About what lies in the spool, others' included. */
  #used = 0;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SegmentsOptions) {
    this.#options = options;
  }

  /** The segment that took the line; nothing when the spool is full. Throws what the disk says. */
  append(line: Buffer): Segment | undefined {
    const segment = this.#segmentFor(line.length);
    if (this.#isFull(line.length)) return undefined;
    segment.append(line);
    this.#used += line.length;
    return segment;
  }

  settle(segment: Segment): void {
    if (--segment.left > 0) return;
    if (segment.isSealed) return this.#remove(segment);
    if (segment.size >= EMPTY_BYTES) return this.#empty();
    // A segment that is never full would bring back, after a kill, what the hub may have forgotten meanwhile.
    this.#timer ??= setTimeout(() => this.#empty(), EMPTY_AFTER_MS).unref();
  }

  /** Leaves to the hub what is not settled, and removes the rest. */
  release(): void {
    clearTimeout(this.#timer);
    for (const segment of this.#all) {
      // The hub collects a file that cannot be removed, and recognizes its events.
      if (segment.left > 0) quietly(() => segment.handOver());
      else quietly(() => segment.remove());
    }
    this.#all.clear();
    this.#current = undefined;
  }

  #segmentFor(length: number): Segment {
    if (this.#current !== undefined && !this.#current.isSealed && this.#current.size + length <= MAX_SEGMENT_BYTES) return this.#current;
    const { writer } = this.#options;
    const segment = writer.begin((spool, name) => new Segment(spool, name));
    this.#measure(openSpool(writer.folder));
    const full = this.#current;
    full?.seal();
    if (full?.left === 0) this.#remove(full);
    this.#current = segment;
    this.#all.add(segment);
    return segment;
  }

  #isFull(length: number): boolean {
    const { writer, maxBytes } = this.#options;
    if (this.#used + length <= maxBytes) return false;
    // A hub may have collected what others left.
    if (performance.now() - this.#measuredAt >= REMEASURE_MS) this.#measure(openSpool(writer.folder));
    return this.#used + length > maxBytes;
  }

  #measure(spool: string): void {
    this.#measuredAt = performance.now();
    this.#used = spoolBytes(spool);
  }

  #empty(): void {
    this.#timer = undefined;
    const segment = this.#current;
    if (segment === undefined || segment.left > 0 || segment.isSealed || segment.size === 0) return;
    this.#used -= segment.size;
    quietly(() => segment.empty());
  }

  #remove(segment: Segment): void {
    this.#all.delete(segment);
    this.#used -= segment.size;
    quietly(() => segment.remove());
  }
}
