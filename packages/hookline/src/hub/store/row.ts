import type { Accepted } from "../parts.js";

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
  };
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
