import type { Envelope } from "@hookline/core/sinks";
import type { Accepted } from "../parts.js";

const MAX_NAME = 200;
/** Of tokens or money in one event: more is a slip, and would drown every sum. */
const MAX_AMOUNT = 1e12;

/** An event as the store's thread gets it: what the columns need, taken out by the sender, and the whole as text. */
export interface Row {
  readonly id: string;
  readonly at: number;
  readonly event: string;
  readonly app: string;
  readonly instance: string;
  readonly session: string | null;
  readonly tool: string | null;
  readonly verdict: string | null;
  readonly body: string;
  /** A guard asked for a person, whatever he said. */
  readonly isAsked: boolean;
  /** The guard that denied or asked. */
  readonly rule: string | null;
  /** How long the guards took. */
  readonly gateMs: number | null;
  readonly agent: string | null;
  readonly usage: RowUsage | null;
}

export interface RowUsage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly costUsd: number | null;
}

export function toRow({ envelope, body }: Accepted): Row {
  const { id, at, event, source, session, decision, payload } = envelope;
  return {
    id,
    at: timeOf(at),
    event,
    app: source.app,
    instance: source.instance,
    session: session?.id ?? null,
    tool: toolIn(payload) ?? null,
    verdict: decision?.verdict ?? null,
    body,
    ...gateOf(decision),
    agent: agentIn(payload),
    usage: usageIn(payload),
  };
}

const NO_GATE = { isAsked: false, rule: null, gateMs: null };

function gateOf(decision: Envelope["decision"]): Pick<Row, "isAsked" | "rule" | "gateMs"> {
  if (decision === undefined) return NO_GATE;
  const { verdict, by, trail = [] } = decision;
  const asker = trail.find(({ action }) => action === "ask")?.handler;
  const isAsked = asker !== undefined || verdict === "ask";
  const times = trail.flatMap(({ durationMs }) => durationMs ?? []);
  const gateMs = times.length === 0 ? null : times.reduce((sum, ms) => sum + ms, 0);
  // Where a person was asked, `by` is that person.
  return { isAsked, rule: isAsked || verdict === "deny" ? (asker ?? by ?? null) : null, gateMs };
}

function agentIn(payload: unknown): string | null {
  const name = (payload as { agent?: { name?: unknown } | null } | null | undefined)?.agent?.name;
  return typeof name === "string" ? name.slice(0, MAX_NAME) : null;
}

function usageIn(payload: unknown): RowUsage | null {
  const usage = (payload as { usage?: { readonly [field: string]: unknown } | null } | null | undefined)?.usage;
  if (typeof usage !== "object" || usage === null) return null;
  return { inputTokens: amount(usage.inputTokens), outputTokens: amount(usage.outputTokens), costUsd: amount(usage.costUsd) };
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
