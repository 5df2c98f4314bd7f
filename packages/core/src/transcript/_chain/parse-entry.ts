import { AT_PATTERN } from "../../catalog/envelope.js";
import type { EntryType, TranscriptEntry } from "../entries.js";
import { encodeEntry } from "./seal.js";

/** The content of a line: an entry, or the reason why it is not one. Says nothing about the chain. */
export function parseEntry(line: string): { readonly entry: TranscriptEntry } | { readonly why: string } {
  try {
    const parsed: unknown = JSON.parse(line);
    const why = flawOf(parsed);
    if (why !== undefined) return { why };
    // An entry that a transcript wrote is never nested too deep to be written again.
    encodeEntry(parsed as TranscriptEntry);
    return { entry: parsed as TranscriptEntry };
  } catch {
    // The parser's own message quotes the line, which may hold secrets.
    return { why: "it is not JSON" };
  }
}

type Kind = "text" | "number" | "flag" | "list" | "record" | "anything";
type Fields = { readonly [key: string]: Kind | `${Kind}?` };

const tests: { readonly [K in Kind]: (value: unknown) => boolean } = {
  text: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  flag: (value) => typeof value === "boolean",
  list: (value) => Array.isArray(value),
  record: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  anything: (value) => value !== undefined,
};

const HASH = /^[0-9a-f]{64}$/;
const AT = new RegExp(AT_PATTERN);
const place: Fields = { id: "text", event: "text", depth: "number?" };
const whose: Fields = { ...place, handler: "text", owner: "text?", stage: "text" };
const effects: Fields = { injections: "list", reminders: "list" };
const answer: Fields = {
  ...whose,
  kind: "text?",
  action: "text",
  reason: "text?",
  failure: "text?",
  code: "text?",
  onFailure: "text?",
  durationMs: "number",
  round: "number",
};

const shapes: { readonly [T in EntryType]: Fields } = {
  open: { source: "record", instance: "text", recovered: "number?", continues: "number?" },
  hook_call: { ...whose, payload: "anything" },
  hook_returned: answer,
  hook_vetoed: answer,
  decision: {
    ...place,
    ...effects,
    payload: "anything",
    verdict: "text",
    reason: "text?",
    by: "text?",
    actor: "record?",
    cause: "record?",
    modified: "flag",
    endLoop: "flag",
    again: "record?",
    handled: "record?",
  },
  transformed: { ...place, ...effects, payload: "anything", value: "anything" },
  emitted: { ...place, kind: "text", payload: "anything" },
  close: { count: "number", head: "text", lost: "number", unfinished: "number" },
};

function flawOf(value: unknown): string | undefined {
  if (!tests.record(value)) return "it is not an object";
  const entry = value as { readonly [key: string]: unknown };
  if (entry.v !== 1) return `its "v" is not 1`;
  if (!Number.isSafeInteger(entry.n) || (entry.n as number) < 1) return `its "n" is not a whole number from 1`;
  if (!isText(entry.at, AT)) return `its "at" is not a time`;
  if (!isText(entry.prev, HASH) || !isText(entry.hash, HASH)) return `its "prev" or "hash" is not a hash`;
  const { type } = entry;
  if (typeof type !== "string" || !Object.hasOwn(shapes, type)) return `its "type" is unknown`;
  const wrong = Object.entries({ ...shapes[type as EntryType], lostBefore: "number?" } as Fields).find(
    ([key, kind]) => !fits(entry, key, kind),
  );
  return wrong === undefined ? undefined : `its "${wrong[0]}" is missing or of the wrong type`;
}

/** A list of one text reads like that text, and is not one. */
function isText(value: unknown, pattern: RegExp): boolean {
  return typeof value === "string" && pattern.test(value);
}

function fits(entry: { readonly [key: string]: unknown }, key: string, kind: Kind | `${Kind}?`): boolean {
  const value = Object.hasOwn(entry, key) ? entry[key] : undefined;
  return kind.endsWith("?") ? value === undefined || tests[kind.slice(0, -1) as Kind](value) : tests[kind as Kind](value);
}
