import { copyJsonSafe, toJsonSafe } from "../text/json-safe.js";
import { ACTOR_KINDS, type Actor, type ActorKind } from "./actor.js";
import { upgradeEnvelope } from "./envelope-v1.js";
import { HookError } from "./errors.js";
import type { SessionRef } from "./payloads.js";

/** Which process an event comes from. */
export interface EnvelopeSource {
  readonly app: string;
  /** Empty where it is not known. */
  readonly host: string;
  /** 0 where there is none. */
  readonly pid: number;
  readonly instance: string;
}

/** What came of a gate, small enough to travel with the event. */
export interface DecisionSummary {
  readonly verdict: Verdict;
  readonly reason?: string;
  /** The name of the actor that decided. */
  readonly by?: string;
  readonly actor?: Actor;
  /** The code of what failed, when the verdict is a failure's. */
  readonly cause?: string;
  readonly modified: boolean;
  readonly endLoop: boolean;
  /** What each actor did, in order. */
  readonly trail?: readonly DecisionStep[];
  /** The payload as it was asked about, where it was rewritten since. */
  readonly asked?: unknown;
}

/**
 * What one actor did for a decision. Steps `at` the hub follow the step of the handler that asked the hub, whose time contains theirs, except
 * for the answer to an approval.
 */
export interface DecisionStep {
  readonly actor: Actor;
  /** `rewrite`, `guard` or `observe`; `approval` for the answer to a question, or that there was none. */
  readonly stage: string;
  /** 0 at first sight; counts the times it looked again after a rewrite. */
  readonly round: number;
  /** Such as `pass`, `deny`, `no-match` or `failed`. */
  readonly action: string;
  readonly reason?: string;
  /** In which of its ways it failed. */
  readonly failure?: string;
  /** Missing where the time was not taken. */
  readonly durationMs?: number;
}

/** The form that an event has outside the process. It is the same on every transport. */
export interface Envelope {
  readonly v: 2;
  readonly id: string;
  /** Counts per source instance from 1; 0 until the forwarder has numbered it. */
  readonly seq: number;
  /** ISO 8601 in UTC with milliseconds, as `Date.toISOString` writes it. */
  readonly at: string;
  readonly event: string;
  readonly source: EnvelopeSource;
  readonly session?: SessionRef;
  readonly payload: unknown;
  readonly decision?: DecisionSummary;
  /** The instances it has passed. */
  readonly hops: readonly string[];
}

export const VERDICTS = ["pass", "allow", "ask", "deny"] as const;
/** The result of a gate. `pass` means that no guard had an opinion. */
export type Verdict = (typeof VERDICTS)[number];
export const MAX_HOPS = 64;
export const MAX_TRAIL = 256;
/** Which text may name an instance: in an id, in `source.instance` and in `hops`. */
export const INSTANCE_PATTERN = "^[A-Za-z0-9_-]{1,64}$";
export const ID_PATTERN = "^[!-~]{1,128}$";
export const AT_PATTERN = "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$";
export const EVENT_PATTERN = "^[A-Za-z][A-Za-z0-9_.-]*(:[^\\s:*\\u0000-\\u001f\\u007f-\\u009f]+)+$";

/** A new envelope, which no forwarder has numbered yet. */
export function createEnvelope({ id, at, event, source, session, payload, decision, hops = [] }: NewEnvelope): Envelope {
  return {
    v: 2,
    id,
    seq: 0,
    at,
    event,
    source,
    ...(session !== undefined && { session }),
    payload,
    ...(decision !== undefined && { decision }),
    hops,
  };
}

type NewEnvelope = Pick<Envelope, "id" | "at" | "event" | "source" | "payload"> & {
  readonly session?: SessionRef | undefined;
  readonly decision?: DecisionSummary | undefined;
  readonly hops?: readonly string[];
};

/** The session that a payload names, without the payload's other fields about it. */
export function sessionIn(payload: unknown): SessionRef | undefined {
  const { session } = (payload ?? {}) as { readonly session?: unknown };
  const { id, parentId } = (session ?? {}) as { readonly id?: unknown; readonly parentId?: unknown };
  return typeof id === "string" ? { id, ...(typeof parentId === "string" && { parentId }) } : undefined;
}

/** One line of JSON, without the line end. Never throws: what JSON cannot carry becomes a marker. */
export function encodeEnvelope(envelope: Envelope): string {
  try {
    return write(withSafeAsked(envelope), toJsonSafe(envelope.payload));
  } catch {
    return encodeHostile(envelope);
  }
}

/** Reads an envelope of version 1 or 2 from a line. Throws `HL_BAD_ENVELOPE`, which names the field, for any other line. Leaves out unknown fields. */
export function decodeEnvelope(line: string): Envelope {
  const given = parse(line);
  if (Object(given).v === 1) {
    readFirstVersion ??= envelopeReader(1);
    return upgradeEnvelope(readFirstVersion(given, "") as Envelope);
  }
  readEnvelope ??= envelopeReader(2);
  return readEnvelope(given, "") as Envelope;
}

// Made at the first use, so that bundlers leave it out of what only sends.
let readEnvelope: Read | undefined;
let readFirstVersion: Read | undefined;

function write({ v, id, seq, at, event, source, session, decision, hops }: Envelope, payload: unknown): string {
  return JSON.stringify({ v, id, seq, at, event, source, session, payload, decision, hops });
}

// It stands a level deeper than the payload, with a marker below, and the whole must not be deeper than a hub takes.
export const MAX_ASKED_DEPTH = 62;

function withSafeAsked(envelope: Envelope): Envelope {
  const { decision } = envelope;
  if (decision?.asked === undefined) return envelope;
  return { ...envelope, decision: { ...decision, asked: toJsonSafe(decision.asked, { maxDepth: MAX_ASKED_DEPTH }) } };
}

// For getters and proxies that answer differently the second time, and for more text than a string can hold.
function encodeHostile(envelope: Envelope): string {
  const safe = copyJsonSafe(envelope) as Envelope;
  try {
    return write(safe, safe.payload);
  } catch {
    const { decision } = safe;
    return write({ ...safe, ...(decision && { decision: { ...decision, asked: undefined } }) }, { $hookline: "size" });
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    // The parser's own message quotes the line, which may hold secrets.
    throw new HookError("HL_BAD_ENVELOPE", "An envelope is one line of JSON, and this line is not JSON.", { cause });
  }
}

/** Gives back what it accepts; throws with the path of what it does not. */
type Read = (value: unknown, path: string) => unknown;

// envelope-schema.ts says the same as JSON Schema; its test holds the two together.
function envelopeReader(version: 1 | 2): Read {
  const text = rule((value) => typeof value === "string", "text");
  const flag = rule((value) => typeof value === "boolean", "true or false");
  const count = rule((value) => Number.isSafeInteger(value) && (value as number) >= 0, "a whole number from 0");
  const instance = matching(INSTANCE_PATTERN, "1 to 64 letters, digits, _ or -");
  const verdict = rule((value) => VERDICTS.includes(value as DecisionSummary["verdict"]), `one of ${VERDICTS}`);
  const duration = rule((value) => typeof value === "number" && value >= 0, "a number from 0");
  const kind = rule((value) => ACTOR_KINDS.includes(value as ActorKind), `one of ${ACTOR_KINDS}`);
  const actor = shape(undefined, { kind, name: text, owner: optional(text), at: optional(text) });
  const who = version === 1 ? { handler: text, owner: optional(text), at: optional(text) } : { actor };
  const step = shape(undefined, {
    ...who,
    stage: text,
    round: count,
    action: text,
    reason: optional(text),
    failure: optional(text),
    durationMs: optional(duration),
  });
  const trail = optional(list(step, MAX_TRAIL));
  const said = { verdict, reason: optional(text), by: optional(text), cause: optional(text), modified: flag, endLoop: flag };
  const decider = version === 1 ? {} : { actor: optional(actor) };
  const decision = { ...said, ...decider, trail, asked: (value: unknown) => value };
  return shape("", {
    v: rule((value) => value === version, "1 or 2"),
    id: matching(ID_PATTERN, "1 to 128 printable ASCII characters"),
    seq: count,
    at: matching(AT_PATTERN, "a time such as 2026-01-31T12:00:00.000Z"),
    event: matching(EVENT_PATTERN, "a name such as tool:before"),
    source: shape("source.", { app: text, host: text, pid: count, instance }),
    session: optional(shape("session.", { id: text, parentId: optional(text) })),
    payload: rule((value) => value !== undefined, "there"),
    decision: optional(shape("decision.", decision)),
    hops: list(instance, MAX_HOPS),
  });
}

function rule(accepts: (value: unknown) => boolean, wants: string): Read {
  return (value, path) => {
    if (accepts(value)) return value;
    throw new HookError("HL_BAD_ENVELOPE", `${path === "" ? "An envelope" : `The envelope's "${path}"`} must be ${wants}.`);
  };
}

function matching(pattern: string, wants: string): Read {
  const expression = new RegExp(pattern, "u");
  return rule((value) => typeof value === "string" && expression.test(value), wants);
}

function optional(read: Read): Read {
  return (value, path) => (value === undefined ? undefined : read(value, path));
}

function list(read: Read, maxItems: number): Read {
  const readList = rule((value) => Array.isArray(value) && value.length <= maxItems, `a list of at most ${maxItems}`);
  return (value, path) => (readList(value, path) as unknown[]).map((item, index) => read(item, `${path}[${index}]`));
}

/** Names its fields by a prefix of its own, or by where it stands: in a list that is known only then. */
function shape(prefix: string | undefined, fields: { readonly [key: string]: Read }): Read {
  const readRecord = rule((value) => typeof value === "object" && value !== null && !Array.isArray(value), "an object");
  const readers = Object.entries(fields);
  return (value, path) => {
    const given = readRecord(value, path) as { readonly [key: string]: unknown };
    const result: Record<string, unknown> = {};
    for (const [key, read] of readers) {
      const accepted = read(Object.hasOwn(given, key) ? given[key] : undefined, (prefix ?? `${path}.`) + key);
      if (accepted !== undefined) result[key] = accepted;
    }
    return result;
  };
}
