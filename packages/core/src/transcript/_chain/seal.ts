import { createHash } from "node:crypto";
import type { EntryBody, TranscriptEntry, TranscriptHead } from "../entries.js";

/** Where every chain begins. */
export const GENESIS: TranscriptHead = Object.freeze({ n: 0, hash: "0".repeat(64) });

/** Puts an entry at the end of a chain: its line, and the chain's new head. */
export function seal(body: EntryBody, at: string, head: TranscriptHead): { readonly line: string; readonly head: TranscriptHead } {
  const n = head.n + 1;
  const members = membersOf({ ...body, v: 1, n, at, prev: head.hash });
  const hash = digest(members, head.hash);
  members.set("hash", member("hash", hash));
  return { line: inReadingOrder(members), head: { n, hash } };
}

/** The line of an entry. There is one way to write it, so a changed byte is found even where it changes no value. */
export function encodeEntry(entry: TranscriptEntry): string {
  return inReadingOrder(membersOf(entry));
}

/** The hash an entry must have. */
export function hashOf(entry: TranscriptEntry): string {
  const members = membersOf(entry);
  members.delete("hash");
  return digest(members, entry.prev);
}

/** JSON with sorted keys and nothing between tokens, as RFC 8785 writes it. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === "" ? "" : ","}${canonicalJson(item)}`;
    return `[${text}]`;
  }
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record).sort())
    if (record[key] !== undefined) text += `${text === "" ? "" : ","}${member(key, record[key])}`;
  return `{${text}}`;
}

const FIRST = ["v", "n", "at", "type"];
const LAST = ["prev", "hash"];

function membersOf(value: object): Map<string, string> {
  const members = new Map<string, string>();
  for (const [key, item] of Object.entries(value)) if (item !== undefined) members.set(key, member(key, item));
  return members;
}

function member(key: string, value: unknown): string {
  return `${JSON.stringify(key)}:${canonicalJson(value)}`;
}

function digest(members: ReadonlyMap<string, string>, prev: string): string {
  const sorted = [...members].sort(byKey).map(([, text]) => text);
  return createHash("sha256").update(prev).update(wrap(sorted)).digest("hex");
}

// A reader who follows a file with tail sees number, time and type first.
function inReadingOrder(members: ReadonlyMap<string, string>): string {
  const rest = [...members.keys()].filter((key) => !FIRST.includes(key) && !LAST.includes(key)).sort();
  return wrap([...FIRST, ...rest, ...LAST].flatMap((key) => members.get(key) ?? []));
}

function byKey([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

function wrap(members: readonly string[]): string {
  return `{${members.join(",")}}`;
}
