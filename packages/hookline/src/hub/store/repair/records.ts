import type { Pages } from "./pages.js";

export type Value = null | number | bigint | string | Buffer;

/** One row of a table that has row ids. */
export interface TableRow {
  readonly rowid: number;
  readonly values: readonly Value[];
}

const TABLE_LEAF = 0x0d;
const INDEX_LEAF = 0x0a;
const FILE_HEADER = 100;

/**
 * Every row on every page that is in use and can be read, whatever became of the pages that lead to them. A page that makes no sense gives
 * none of its rows, and no row is guessed: the caller checks what it is.
 */
export function* tableRows(pages: Pages, onPage: (number: number) => void = () => {}): Generator<TableRow> {
  for (const { page, offset } of cells(pages, TABLE_LEAF, onPage)) {
    const row = unlessCut(() => rowAt(pages, page, offset));
    if (row !== undefined) yield row;
  }
}

/** The largest number that a table without row ids has under a name, in rows of just these two. */
export function namedNumber(pages: Pages, name: string): number | undefined {
  // A header of three bytes: its length, the type of a text of this length, and that of the number.
  const start = Buffer.concat([Buffer.from([3, 13 + 2 * name.length]), Buffer.from(name)]);
  const read = (page: Buffer, offset: number): Value | undefined => {
    const reader = new Reader(page, offset);
    const bytes = reader.varint();
    const payload = page.subarray(reader.at, reader.at + bytes);
    const isNamed = payload.readUInt16BE(0) === start.readUInt16BE(0) && payload.indexOf(start.subarray(2)) === 3;
    return isNamed ? valuesOf(payload)[1] : undefined;
  };
  let largest: number | undefined;
  for (const { page, offset } of cells(pages, INDEX_LEAF)) {
    const number = unlessCut(() => read(page, offset));
    if (typeof number === "number") largest = Math.max(largest ?? number, number);
  }
  return largest;
}

function* cells(pages: Pages, kind: number, onPage: (number: number) => void = () => {}) {
  const free = freePages(pages);
  for (let number = 1; number <= pages.count; number++) {
    onPage(number);
    const page = free.has(number) ? undefined : pages.read(number);
    const start = number === 1 ? FILE_HEADER : 0;
    if (page === undefined || page[start] !== kind) continue;
    for (const offset of cellsOf(page, start)) yield { page, offset };
  }
}

function cellsOf(page: Buffer, start: number): number[] {
  const count = Math.min(page.readUInt16BE(start + 3), (page.length - start - 8) >> 1);
  return Array.from({ length: count }, (_, index) => page.readUInt16BE(start + 8 + 2 * index));
}

function rowAt(pages: Pages, page: Buffer, offset: number): TableRow | undefined {
  const reader = new Reader(page, offset);
  const bytes = reader.varint();
  const rowid = reader.varint();
  const payload = payloadAt(pages, page, { at: reader.at, bytes });
  return payload === undefined ? undefined : { rowid, values: valuesOf(payload) };
}

/** The part on the page, and the rest on overflow pages: section 1.6 of SQLite's file format. */
function payloadAt(pages: Pages, page: Buffer, { at, bytes }: { readonly at: number; readonly bytes: number }): Buffer | undefined {
  const { usable } = pages;
  const most = usable - 35;
  if (bytes <= most) return whole(page.subarray(at, at + bytes), bytes);
  if (bytes > pages.count * pages.pageSize) return undefined;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const surplus = least + ((bytes - least) % (usable - 4));
  const local = surplus <= most ? surplus : least;
  const parts = [page.subarray(at, at + local)];
  let [left, next] = [bytes - local, page.readUInt32BE(at + local)];
  while (left > 0) {
    const more = pages.read(next);
    if (more === undefined) return undefined;
    parts.push(more.subarray(4, 4 + Math.min(left, usable - 4)));
    left -= usable - 4;
    next = more.readUInt32BE(0);
  }
  return whole(Buffer.concat(parts), bytes);
}

function whole(payload: Buffer, bytes: number): Buffer | undefined {
  return payload.length === bytes ? payload : undefined;
}

/** The lengths of the integer types 0 to 7. */
const FIXED = [0, 1, 2, 3, 4, 6, 8, 8];

function valuesOf(payload: Buffer): Value[] {
  const header = new Reader(payload, 0);
  const end = header.varint();
  let at = end;
  const values: Value[] = [];
  while (header.at < end) {
    const type = header.varint();
    const bytes = type < 8 ? (FIXED[type] as number) : type < 12 ? 0 : (type - 12) >> 1;
    if (at + bytes > payload.length) throw new RangeError("A value is cut.");
    values.push(decoded(type, payload.subarray(at, at + bytes)));
    at += bytes;
  }
  return values;
}

function decoded(type: number, bytes: Buffer): Value {
  if (type === 0) return null;
  if (type === 8 || type === 9) return type - 8;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type === 6) return narrowed(bytes.readBigInt64BE(0));
  if (type < 6) return bytes.readIntBE(0, bytes.length);
  return type % 2 === 1 ? bytes.toString("utf8") : Buffer.from(bytes);
}

function narrowed(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Pages that deletion has freed still hold what was deleted. */
function freePages(pages: Pages): ReadonlySet<number> {
  const free = new Set<number>();
  for (let trunk = pages.read(1)?.readUInt32BE(32) ?? 0; trunk > 0 && trunk <= pages.count && !free.has(trunk); ) {
    free.add(trunk);
    const page = pages.read(trunk);
    if (page === undefined) break;
    const count = Math.min(page.readUInt32BE(4), pages.usable / 4 - 2);
    for (let index = 0; index < count; index++) free.add(page.readUInt32BE(8 + 4 * index));
    trunk = page.readUInt32BE(0);
  }
  return free;
}

class Reader {
  at: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** Of at most nine bytes, seven bits each; beyond 53 bits it is not exact, which no row of ours needs. */
  varint(): number {
    let value = 0;
    for (let index = 0; index < 8; index++) {
      const byte = this.#bytes.readUInt8(this.at++);
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) return value;
    }
    return value * 256 + this.#bytes.readUInt8(this.at++);
  }
}

/** A length or an offset that a flipped bit has made too large. */
function unlessCut<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
