import type { Envelope } from "@hookline/core/sinks";
import type { Accepted } from "../parts.js";
import { gateMsOf, guardOf } from "./gate-trail.js";
import { packSteps } from "./handler-steps.js";

const MAX_NAME = 200;
/** Of tokens or money in one event: more is a slip, and would drown every sum. */
const MAX_AMOUNT = 1e12;
/** Clocks differ; an event of next year would stand before all others, and be counted where nobody looks. */
const MAX_AHEAD_MS = 300_000;

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
  /** What the handlers that were called did, packed. */
  readonly steps: string | null;
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
    at: Math.min(timeOf(at), Date.now() + MAX_AHEAD_MS),
    event,
    app: source.app,
    instance: source.instance,
    session: session?.id ?? null,
    tool: toolIn(payload) ?? null,
    verdict: decision?.verdict ?? null,
    body,
    ...gateOf(decision, source),
    agent: agentIn(payload),
    usage: usageIn(payload),
  };
}

const NO_GATE = { isAsked: false, rule: null, gateMs: null, steps: null };

function gateOf(decision: Envelope["decision"], source: Envelope["source"]): Pick<Row, "isAsked" | "rule" | "gateMs" | "steps"> {
  if (decision === undefined) return NO_GATE;
  const { verdict, by, trail = [] } = decision;
  const asker = guardOf(trail, ({ action }) => action === "ask");
  const isAsked = asker !== undefined || verdict === "ask";
  // Where a person was asked, `by` is that person.
  const guard = asker ?? guardOf(trail, ({ action, handler }) => action === "deny" && handler === by) ?? by;
  const rule = isAsked || verdict === "deny" ? (guard ?? null) : null;
  return { isAsked, rule, gateMs: gateMsOf(trail) ?? null, steps: packSteps(decision, source) };
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
