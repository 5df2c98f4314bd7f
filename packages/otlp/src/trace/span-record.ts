import type { EnvelopeSource } from "@hookline/core/sinks";

type AttributeValue = string | number | boolean;
export type Attributes = { [name: string]: AttributeValue };

/** As OpenTelemetry's API counts them. */
export const KIND = { internal: 0, client: 2 } as const;

/** Something that happened within a span. */
export interface SpanEvent {
  readonly name: string;
  readonly atMs: number;
  readonly attributes: Attributes;
}

/** A span, open or ended. */
export interface SpanRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** The parent is a span of the agent's own. */
  readonly isParentRemote?: boolean;
  readonly kind: (typeof KIND)[keyof typeof KIND];
  readonly source: EnvelopeSource;
  name: string;
  startMs: number;
  endMs: number;
  attributes: Attributes;
  events: SpanEvent[];
  droppedEvents: number;
  /** What went wrong; missing if nothing did. */
  error?: string;
}

const MAX_EVENTS = 128;
const MAX_TEXT = 4_096;

export function addEvent(span: SpanRecord, event: SpanEvent): void {
  if (span.events.length < MAX_EVENTS) span.events.push(event);
  else span.droppedEvents++;
}

/** A cut, or an agent, may leave half a character, which protobuf cannot carry. */
export function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

/** Without what is missing, and with texts of a length that receivers take. */
export function attributes(given: { readonly [name: string]: unknown }): Attributes {
  const known = Object.entries(given).flatMap(([name, value]): [string, AttributeValue][] => {
    if (typeof value === "string") return value === "" ? [] : [[name, wellFormed(value.slice(0, MAX_TEXT))]];
    return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)) ? [[name, value]] : [];
  });
  return Object.fromEntries(known);
}
