import type { Envelope } from "@hookline/core/sinks";
import type { Origin } from "../ingest/origins.js";
import { HUB_APP } from "../ingest/own-source.js";
import type { Accepted } from "../parts.js";
import { askerOf, denierOf, gateMsOf, isAsked } from "./gate-trail.js";
import { packSteps } from "./handler-steps.js";

const MAX_NAME = 200;
const MAX_PATH = 4_096;
const MAX_TITLE = 120;
/** Of tokens or money in one event: more is a slip, and would drown every sum. */
const MAX_AMOUNT = 1e12;
/** Clocks differ: an event dated next year would be listed before all others and counted in a period that no view shows. */
const MAX_AHEAD_MS = 300_000;

/** An event as the store's thread gets it: what the columns need, taken out by the sender, and the whole as text. */
export interface Row {
  readonly id: string;
  readonly at: number;
  readonly event: string;
  readonly app: string;
  readonly instance: string;
  /** The host of the fleet that sent it; null for an event of this machine. */
  readonly host: string | null;
  readonly session: string | null;
  /** The agent and the process that the session is of, as far as this event says so: one that the hub wrote into it does not, or names them. */
  readonly sessionApp: string | null;
  readonly sessionInstance: string | null;
  /** The session that this one is a child of. */
  readonly parent: string | null;
  readonly tool: string | null;
  readonly verdict: string | null;
  readonly body: string;
  /** A guard asked for a person, whatever he said. */
  readonly isAsked: boolean;
  /** Read from an agent's session file. */
  readonly isImported: boolean;
  /** The guards that denied and asked. */
  readonly deniedBy: string | null;
  readonly askedBy: string | null;
  /** How long the guards took. */
  readonly gateMs: number | null;
  /** What the handlers that were called did, packed. */
  readonly steps: string | null;
  readonly agent: string | null;
  /** The model and the folder that the agent works with. */
  readonly model: string | null;
  readonly cwd: string | null;
  /** What a person asked for, on one line: the first such text of a session is its title. */
  readonly title: string | null;
  readonly usage: RowUsage | null;
  /** The head of a transcript, told by `transcript:head`. */
  readonly transcript: RowTranscript | null;
  readonly origin: Origin | null;
}

export interface RowTranscript {
  readonly id: string;
  readonly n: number;
  readonly hash: string;
  readonly isClosed: boolean;
  readonly path: string | null;
}

/** What an event can report of tokens and money. */
export const USAGE_FIELDS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens", "costUsd"] as const;

export type RowUsage = { readonly [field in (typeof USAGE_FIELDS)[number]]: number | null };

export function toRow({ envelope, body, isImported, host, origin }: Accepted): Row {
  const { id, at, event, source, session, decision, payload } = envelope;
  return {
    id,
    at: Math.min(timeOf(at), Date.now() + MAX_AHEAD_MS),
    event,
    app: source.app,
    instance: source.instance,
    host: host ?? null,
    origin: origin ?? null,
    session: session?.id ?? null,
    ...agentOf(source, payload),
    parent: session?.parentId !== session?.id ? (session?.parentId ?? null) : null,
    tool: toolIn(payload) ?? null,
    verdict: decision?.verdict ?? null,
    body,
    isImported: isImported === true,
    ...gateOf(decision),
    agent: agentIn(payload),
    model: modelIn(payload),
    cwd: nameIn(payload, "cwd"),
    title: event === "prompt:submit" ? titleIn(payload) : null,
    // A threshold repeats what other events have reported.
    usage: event === "budget:threshold" ? null : usageIn(payload),
    transcript: event === "transcript:head" ? transcriptIn(payload) : null,
  };
}

type SessionAgent = Pick<Row, "sessionApp" | "sessionInstance">;

const UNKNOWN: SessionAgent = { sessionApp: null, sessionInstance: null };

function agentOf({ app, instance }: Envelope["source"], payload: unknown): SessionAgent {
  return app === HUB_APP ? askerIn(payload) : { sessionApp: app, sessionInstance: instance };
}

/** The hub's own word on whose question waits. */
function askerIn(payload: unknown): SessionAgent {
  const source = (payload as { approval?: { source?: { readonly [field: string]: unknown } | null } | null } | null | undefined)?.approval
    ?.source;
  if (typeof source?.app !== "string" || typeof source.instance !== "string") return UNKNOWN;
  return { sessionApp: source.app, sessionInstance: source.instance };
}

type Gate = Pick<Row, "isAsked" | "deniedBy" | "askedBy" | "gateMs" | "steps">;

const NO_GATE: Gate = { isAsked: false, deniedBy: null, askedBy: null, gateMs: null, steps: null };

function gateOf(decision: Envelope["decision"]): Gate {
  if (decision === undefined) return NO_GATE;
  return {
    isAsked: isAsked(decision),
    deniedBy: denierOf(decision) ?? null,
    askedBy: askerOf(decision) ?? null,
    gateMs: gateMsOf(decision.trail ?? []) ?? null,
    steps: packSteps(decision),
  };
}

function agentIn(payload: unknown): string | null {
  return nameIn((payload as { agent?: unknown } | null | undefined)?.agent, "name");
}

/** Of the request, or else of the agent. */
function modelIn(payload: unknown): string | null {
  return nameIn(payload, "model") ?? nameIn((payload as { agent?: unknown } | null | undefined)?.agent, "model");
}

function titleIn(payload: unknown): string | null {
  const { prompt, text } = (payload ?? {}) as { readonly prompt?: unknown; readonly text?: unknown };
  const said = typeof prompt === "string" ? prompt : text;
  if (typeof said !== "string") return null;
  // A prompt of megabytes: only its beginning can be the title.
  const line = said
    .slice(0, 4 * MAX_TITLE)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line === "" ? null : line.slice(0, MAX_TITLE);
}

function nameIn(holder: unknown, field: string): string | null {
  const name = (holder as { readonly [field: string]: unknown } | null | undefined)?.[field];
  return typeof name === "string" && name !== "" ? name.slice(0, field === "cwd" ? MAX_PATH : MAX_NAME) : null;
}

function usageIn(payload: unknown): RowUsage | null {
  const usage = (payload as { usage?: { readonly [field: string]: unknown } | null } | null | undefined)?.usage;
  if (typeof usage !== "object" || usage === null) return null;
  return Object.fromEntries(USAGE_FIELDS.map((field) => [field, amount(usage[field])])) as RowUsage;
}

const HASH = /^[0-9a-f]{64}$/;

/** Null for what is not the head of a transcript: any process may send an event of that name. */
export function transcriptIn(payload: unknown): RowTranscript | null {
  const { transcript } = (payload ?? {}) as { readonly transcript?: { readonly [field: string]: unknown } | null };
  const { id, n, hash, closed, path } = transcript ?? {};
  if (typeof id !== "string" || !HASH.test(id) || typeof hash !== "string" || !HASH.test(hash)) return null;
  if (!Number.isSafeInteger(n) || (n as number) < 1) return null;
  return { id, n: n as number, hash, isClosed: closed === true, path: typeof path === "string" ? path.slice(0, MAX_PATH) : null };
}

function amount(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value < MAX_AMOUNT ? value : null;
}

let known = { text: "", time: Number.NaN };

// Most events share their millisecond with the one before: 10 ns instead of 300.
function timeOf(text: string): number {
  if (text !== known.text) known = { text, time: Date.parse(text) };
  return known.time;
}

/** The name of the tool an event is about. */
export function toolIn(payload: unknown): string | undefined {
  const name = (payload as { tool?: { name?: unknown } | null } | null | undefined)?.tool?.name;
  return typeof name === "string" ? name : undefined;
}
