import { readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";
import { createValuePreparer } from "../ingest/event-preparer.js";
import type { AlwaysAllowed, PendingApproval } from "../protocol.js";
import { hashOf } from "./hash-of.js";

interface NamedAsk {
  readonly by: string;
  readonly reason?: string | undefined;
}

type Asked = Pick<PendingApproval, "event" | "payload" | "by" | "reason" | "cwd" | "source"> & { readonly asks?: readonly NamedAsk[] };

/** Calls that a person has allowed for good: exactly these, and nothing like them. */
export interface AlwaysAllow {
  list(): readonly AlwaysAllowed[];
  find(asked: Asked): AlwaysAllowed | undefined;
  /** Throws when it cannot be written down; then nothing is allowed. */
  add(asked: Asked, allowedBy: string): void;
  /** Says whether there was one. */
  forget(hash: string): boolean;
}

const FILE = "always-allow.json";
const MAX_SHOWN = 2_000;

/** Kept in the state folder until a person removes them. */
export function openAlwaysAllow(state: string): AlwaysAllow {
  const rows = new Map(readRows(readPrivateJson(state, FILE)).map((row) => [row.hash, row]));
  const write = (next: Iterable<AlwaysAllowed>): void => writePrivateJson(state, FILE, [...next]);

  return {
    list: () => [...rows.values()],
    find(asked) {
      const call = callIn(asked);
      return call && rows.get(call.hash);
    },
    add(asked, allowedBy) {
      const call = callIn(asked);
      if (call === undefined) return;
      const { hash, tool, input, cwd, pinned } = call;
      const shown = {
        hash,
        event: asked.event,
        tool,
        by: namesOf(asksIn(asked)),
        input: shownOf(input),
        pinned: shownOf(pinned),
        ...(cwd !== undefined && { cwd }),
      };
      const row: AlwaysAllowed = { ...shown, allowedBy, at: Date.now() };
      write([...rows.values(), row]);
      rows.set(hash, row);
    },
    forget(hash) {
      if (!rows.has(hash)) return false;
      write([...rows.values()].filter((row) => row.hash !== hash));
      return rows.delete(hash);
    },
  };
}

/** What is pinned: all who ask about it and what they say, the event, the program, and the whole call but for what names one occurrence of it. */
export function callIn(asked: Asked) {
  const { event, payload, source } = asked;
  if (!isToolCall(payload)) return undefined;
  const { tool } = payload;
  const cwd = asked.cwd ?? payload.cwd;
  const place = typeof cwd === "string" ? { cwd } : {};
  const pinned = { ...lastingPart(payload), ...place };
  return {
    hash: hashOf(event, { asks: asksIn(asked), app: source?.app ?? null, call: pinned }),
    tool: tool.name,
    input: tool.input,
    pinned,
    ...place,
  };
}

/** The names of what is pinned of a call, for the person who pins it: `tool.input`, `env`. */
export function pinsOf(payload: unknown): string[] | undefined {
  if (!isToolCall(payload)) return undefined;
  const names = Object.entries(lastingPart(payload)).flatMap(([key, value]) =>
    key === "tool" ? Object.keys(Object(value)).map((name) => `tool.${name}`) : [key],
  );
  return names.slice(0, MAX_PINS).map((name) => name.slice(0, MAX_PIN));
}

const MAX_PINS = 100;
const MAX_PIN = 100;

function isToolCall(payload: unknown): payload is Fields & { readonly tool: Fields & { readonly name: string } } {
  const { tool } = Object(payload) as { readonly tool?: { readonly name?: unknown; readonly input?: unknown } };
  return typeof tool?.name === "string" && tool.input !== undefined;
}

type Fields = { readonly [key: string]: unknown };

/** What the catalogue calls the ids of a session, a turn and a call, and a session's file. */
const OF_ONE_CALL = new Set(["session", "turn", "transcript", "tool_call_id", "task_id", "turn_id", "api_request_id"]);
const TIMES = new Set(["time", "at", "timestamp"]);

/** A call without its session, its own id and its time. Everything else counts: variables, the server, the mode, further arguments. */
function lastingPart(payload: Fields): Fields {
  const { raw, tool, ...rest } = payload;
  const { callId, ...ofTool } = Object(tool) as Fields;
  const kept = Object.entries(rest).filter(([key, value]) => !OF_ONE_CALL.has(key) && !isTime(key, value));
  const lasting = { ...Object.fromEntries(kept), tool: ofTool };
  return raw === undefined ? lasting : { ...lasting, raw: isFields(raw) ? lastingRaw(raw, payload, callId) : raw };
}

/** An agent's own form of the call has the same ids under the agent's own names. */
function lastingRaw(raw: Fields, { session, turn, transcript }: Fields, callId: unknown): Fields {
  const ids = new Set([callId, transcript, (Object(session) as Fields).id, (Object(turn) as Fields).id]);
  const isOfOneCall = (value: unknown): boolean => typeof value === "string" && value !== "" && ids.has(value);
  return Object.fromEntries(Object.entries(raw).filter(([key, value]) => !isOfOneCall(value) && !isTime(key, value)));
}

function isTime(key: string, value: unknown): boolean {
  return TIMES.has(key) && (typeof value === "number" || (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)));
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A guard that asks besides, or for another reason, had not asked when the call was allowed. */
function asksIn({ by, reason, asks = [{ by, ...(reason !== undefined && { reason }) }] }: Asked): readonly NamedAsk[] {
  return asks
    .map((ask) => ({ by: ask.by, ...(ask.reason !== undefined && { reason: ask.reason }) }))
    .sort((a, b) => (a.by < b.by ? -1 : 1));
}

function namesOf(asks: readonly NamedAsk[]): string {
  return asks.map(({ by }) => by).join(", ");
}

/** For people to know it again; what was asked may hold secrets, and this stays on disk. */
function shownOf(input: unknown): string {
  return (JSON.stringify(hideSecrets(input)) ?? "").slice(0, MAX_SHOWN);
}

function readRows(value: unknown): AlwaysAllowed[] {
  return Array.isArray(value) ? value.filter(isRow) : [];
}

/** A row without `pinned` is of an earlier version, which pinned less than people were shown: such a call is asked about again. */
function isRow(value: unknown): value is AlwaysAllowed {
  const { hash, at, cwd = "", ...rest } = (value ?? {}) as Record<string, unknown>;
  const texts = ["event", "tool", "by", "input", "pinned", "allowedBy"].map((name) => rest[name]);
  return /^[0-9a-f]{64}$/.test(String(hash)) && typeof at === "number" && [...texts, cwd].every((text) => typeof text === "string");
}

/** A value as it would be in a stored event: without what looks like a secret, and cut where it is long. */
export const hideSecrets = createValuePreparer(() => {});
