import { createHash } from "node:crypto";

/** The place of a span: in which trace, and which. In hexadecimal, as W3C Trace Context writes it. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
}

/** A W3C `traceparent`. Undefined for any other text: agents may send anything. */
export function parseTraceparent(given: unknown): TraceContext | undefined {
  const [, version, traceId = "", spanId = "", rest] =
    (typeof given === "string" && /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/.exec(given)) || [];
  // A later version may have more fields; version 00 has none.
  if (version === undefined || version === "ff" || (version === "00" && rest !== undefined)) return undefined;
  return isZero(traceId) || isZero(spanId) ? undefined : { traceId, spanId };
}

/** The `traceparent` of a span that is recorded. */
export function formatTraceparent({ traceId, spanId }: TraceContext): string {
  return `00-${traceId}-${spanId}-01`;
}

/** The same for the same session in every process, so a restart continues the trace. */
export function traceIdOf(session: string): string {
  return digest("trace", session).slice(0, 32);
}

/** The same for the same thing in the same session. */
export function spanIdOf(session: string, kind: string, key: string): string {
  return digest("span", session, kind, key).slice(0, 16);
}

function digest(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function isZero(id: string): boolean {
  return /^0+$/.test(id);
}
