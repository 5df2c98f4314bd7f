import { type Fields, isFields } from "../../text/fields.js";

/** How the hashes of a file stand: each entry of a transcript has one, over itself and the one before. */
export type Chain =
  | { readonly state: "none" | "unchecked" }
  | { readonly state: "unbroken"; readonly entries: number; readonly isClosed: boolean }
  | { readonly state: "broken"; readonly line: number; readonly n?: number; readonly why: string };

export interface ChainCheck {
  /** The next line, and what it says. */
  add(text: string, value: unknown): void;
  /** Waits until what was added so far is checked. */
  catchUp(): Promise<void>;
  /** The chain, when all has been added. */
  result(): Chain;
}

interface Link extends Fields {
  readonly n: number;
  readonly prev: string;
  readonly hash: string;
}

const HASH = /^[0-9a-f]{64}$/;
const GENESIS = "0".repeat(64);

/** Follows the chain line by line, with the browser's own SHA-256; it has one on this machine's own address, and over https. */
export function createChainCheck(subtle: Pick<SubtleCrypto, "digest"> | undefined = globalThis.crypto?.subtle): ChainCheck {
  let line = 0;
  let entries = 0;
  let last: Link | undefined;
  let broken: { readonly line: number; readonly n?: number; readonly why: string } | undefined;
  let pending: Promise<void>[] = [];

  const fail = (at: number, why: string, n?: number): void => {
    if (broken === undefined || at < broken.line) broken = { line: at, why, ...(n !== undefined && { n }) };
  };
  const check = async (entry: Link, at: number): Promise<void> => {
    if (subtle === undefined) return;
    const bytes = new TextEncoder().encode(entry.prev + hashedText(entry));
    if (hex(await subtle.digest("SHA-256", bytes)) !== entry.hash)
      fail(at, `entry ${entry.n} was edited: its hash is not that of its content`, entry.n);
  };
  return {
    add(text, value) {
      line++;
      if (!isLink(value)) return fail(line, "this line is not a transcript entry");
      entries++;
      const why =
        faultBetween(last, value) ?? (isWritten(value, text) ? undefined : `entry ${value.n} is not written as a transcript writes it`);
      if (why !== undefined) fail(line, why, value.n);
      else if (broken === undefined) pending.push(check(value, line));
      last = value;
    },
    async catchUp() {
      const now = pending;
      pending = [];
      await Promise.all(now);
    },
    result() {
      if (entries === 0) return { state: "none" };
      if (subtle === undefined) return { state: "unchecked" };
      return broken === undefined ? { state: "unbroken", entries, isClosed: last?.type === "close" } : { state: "broken", ...broken };
    },
  };
}

/** What is nested too deep to be written was not written by a transcript. */
function isWritten(entry: Link, text: string): boolean {
  try {
    return lineOf(entry) === text;
  } catch {
    return false;
  }
}

function isLink(value: unknown): value is Link {
  return isFields(value) && value.v === 1 && Number.isSafeInteger(value.n) && isHash(value.prev) && isHash(value.hash);
}

function isHash(value: unknown): boolean {
  return typeof value === "string" && HASH.test(value);
}

function faultBetween(before: Link | undefined, { n, prev, type, continues }: Link): string | undefined {
  const expected = (before?.n ?? 0) + 1;
  // A file that was closed goes on in a new segment, which says so.
  const isSegment = type === "open" && continues === before?.n;
  if (before?.type === "close" && !isSegment) return `entry ${n} comes after the closing entry`;
  if (n > expected) return n === expected + 1 ? `entry ${expected} is missing` : `the entries ${expected} to ${n - 1} are missing`;
  if (n < expected) return `entry ${n} comes after entry ${expected - 1}`;
  if (prev === (before?.hash ?? GENESIS)) return undefined;
  return before === undefined
    ? "entry 1 does not begin a chain"
    : `entry ${n - 1} is not the one that entry ${n} remembers: one of them was edited`;
}

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const FIRST = ["v", "n", "at", "type"];
const LAST = ["prev", "hash"];

/** The line of an entry, as a transcript writes it: there is one way to do so. */
export function lineOf(entry: Fields): string {
  const rest = Object.keys(entry).filter((key) => !FIRST.includes(key) && !LAST.includes(key));
  return object(
    [...FIRST, ...rest.sort(), ...LAST].filter((key) => Object.hasOwn(entry, key)),
    entry,
  );
}

/** What an entry's hash is taken of, after the hash of the entry before: all but the hash itself, with sorted keys (RFC 8785). */
function hashedText(entry: Fields): string {
  return object(
    Object.keys(entry)
      .filter((key) => key !== "hash")
      .sort(),
    entry,
  );
}

function object(keys: readonly string[], from: Fields): string {
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(from[key])}`).join(",")}}`;
}

function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  return object(Object.keys(value).sort(), value as Fields);
}
