import { Outgoing } from "./outgoing.js";
import type { Segment } from "./segment.js";

const BLOCK_BYTES = 256 * 1024;
const NEWLINE = 10;
// As `line-writer.ts` begins a line.
const ORDER = /^\{"v":[12],"id":"[^"]*","seq":(\d+),/;

interface Unread {
  readonly segment: Segment;
  /** Where its first unread line begins. */
  offset: number;
  lines: number;
}

/** Reads back the lines that were left on disk alone, in order. */
export class SegmentReader {
  #unread: Unread[] = [];
  #ready: Outgoing[] = [];
  /** Lines that only the disk holds. */
  count = 0;

  /** A line was written there that is not kept in memory. */
  left(segment: Segment, offset: number): void {
    this.count++;
    const last = this.#unread.at(-1);
    if (last?.segment === segment && last.lines > 0) last.lines++;
    else this.#unread.push({ segment, offset, lines: 1 });
  }

  /** The next line, without taking it. Throws when what was written cannot be read. */
  peek(): Outgoing | undefined {
    if (this.#ready.length === 0 && this.#unread.length > 0) this.#ready = this.#readBlock(this.#unread[0] as Unread).reverse();
    return this.#ready.at(-1);
  }

  take(): Outgoing | undefined {
    const item = this.peek();
    if (item === undefined) return undefined;
    this.#ready.pop();
    this.count--;
    return item;
  }

  /** Gives up what is left of the segment that could not be read; gives how many lines that were. */
  skip(): number {
    const lost = this.#unread.shift();
    if (lost === undefined) return 0;
    this.count -= lost.lines;
    lost.segment.left -= lost.lines;
    return lost.lines;
  }

  #readBlock(unread: Unread): Outgoing[] {
    const { segment } = unread;
    let block = Buffer.allocUnsafe(BLOCK_BYTES);
    let length = segment.read(block, unread.offset);
    let end = block.subarray(0, length).lastIndexOf(NEWLINE);
    if (end < 0 && length === block.length) {
      block = Buffer.allocUnsafe(segment.size - unread.offset);
      length = segment.read(block, unread.offset);
      end = block.subarray(0, length).lastIndexOf(NEWLINE);
    }
    if (end < 0) throw new Error(`"${segment.path}" is shorter than what was written to it`);
    const lines = block.toString("utf8", 0, end).split("\n").slice(0, unread.lines);
    return this.#advance(unread, lines);
  }

  #advance(unread: Unread, lines: readonly string[]): Outgoing[] {
    const items = lines.map((line) => itemOf(line, unread.segment));
    unread.lines -= items.length;
    for (const { bytes } of items) unread.offset += bytes;
    if (unread.lines === 0) this.#unread.shift();
    return items;
  }
}

function itemOf(line: string, segment: Segment): Outgoing {
  const order = Number(ORDER.exec(line)?.[1]);
  if (Number.isNaN(order)) throw new Error(`"${segment.path}" holds a line that was not written to it`);
  const item = new Outgoing(order, 0, Buffer.byteLength(line) + 1, line);
  item.segment = segment;
  return item;
}
