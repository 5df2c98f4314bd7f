import { readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";
import { createValuePreparer } from "../ingest/event-preparer.js";
import type { AlwaysAllowed, PendingApproval } from "../protocol.js";
import { hashOf } from "./hash-of.js";

interface NamedAsk {
  readonly by: string;
  readonly reason?: string | undefined;
}

type Asked = Pick<PendingApproval, "event" | "payload" | "by" | "reason" | "cwd"> & { readonly asks?: readonly NamedAsk[] };

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
      const { hash, tool, input, cwd } = call;
      const shown = {
        hash,
        event: asked.event,
        tool,
        by: namesOf(asksIn(asked)),
        input: shownOf(input),
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

/** What is pinned: all who ask about it and what they say, the event, the tool, what it is called with and where. Another session or call id is the same call. */
export function callIn(asked: Asked) {
  const { event, payload } = asked;
  const { tool, cwd: said } = (payload ?? {}) as {
    readonly tool?: { readonly name?: unknown; readonly input?: unknown };
    readonly cwd?: unknown;
  };
  if (typeof tool?.name !== "string" || tool.input === undefined) return undefined;
  const cwd = asked.cwd ?? said;
  const place = typeof cwd === "string" ? { cwd } : {};
  return {
    hash: hashOf(event, { asks: asksIn(asked), name: tool.name, input: tool.input, ...place }),
    tool: tool.name,
    input: tool.input,
    ...place,
  };
}

/** A guard that asks besides, or for another reason, had not asked when the call was allowed. */
function asksIn({ by, reason, asks = [{ by, ...(reason !== undefined && { reason }) }] }: Asked): readonly NamedAsk[] {
  // By names and reasons alone: the hash of what is kept on disk must stay the same.
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

function isRow(value: unknown): value is AlwaysAllowed {
  const { hash, at, cwd = "", ...rest } = (value ?? {}) as Record<string, unknown>;
  const texts = ["event", "tool", "by", "input", "allowedBy"].map((name) => rest[name]);
  return /^[0-9a-f]{64}$/.test(String(hash)) && typeof at === "number" && [...texts, cwd].every((text) => typeof text === "string");
}

const hideSecrets = createValuePreparer(() => {});
