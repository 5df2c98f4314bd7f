import { formatTraceparent, parseTraceparent, spanIdOf, traceIdOf } from "@hookline/core/internal/sinks";

/** What a `traceparent` is asked for. */
export interface TracedCall {
  /** The id of the session. */
  readonly session: string;
  /** The id of a tool call in it. Without one, the session itself is meant. */
  readonly callId?: string;
  /** The `traceparent` that the session's first event has, if it has one. */
  readonly traceparent?: string;
}

/**
 * The W3C `traceparent` of a span that an `otlp` sink sends, to hand on to what the agent calls, as a header or as `TRACEPARENT`:
 * `traceparentOf({ session: "s1", callId: "c1" })`.
 */
export function traceparentOf({ session, callId, traceparent }: TracedCall): string {
  const traceId = parseTraceparent(traceparent)?.traceId ?? traceIdOf(session);
  const spanId = callId === undefined ? spanIdOf(session, "session", "") : spanIdOf(session, "tool", callId);
  return formatTraceparent({ traceId, spanId });
}
