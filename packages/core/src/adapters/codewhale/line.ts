import type { Envelope } from "../../catalog/envelope.js";
import { toJsonSafe } from "../../text/json-safe.js";
import { type CodewhaleEvent, decodeFrame } from "./decode.js";
import { encodeFrame } from "./encode.js";
import { bad, isFields } from "./frames.js";

/** What codewhale's line says of an event. */
export interface CodewhaleLine extends CodewhaleEvent {
  /** ISO 8601 in UTC with milliseconds, as in an envelope. */
  readonly at: string;
}

/**
 * The line codewhale's file, webhook and socket sinks write, `{"at": …, "event": <frame>}`, without the line end.
 * It has no place for an envelope's `id`, `seq`, `source`, `session`, `decision` and `hops`; these are lost.
 */
export function encodeLine({ at, event, payload }: Pick<Envelope, "at" | "event" | "payload">): string {
  return JSON.stringify(toJsonSafe({ at, event: encodeFrame({ event, payload }) }));
}

/** Reads the event from codewhale's line. Throws `HL_CODEC` for any other line. Keeps its time to the millisecond. */
export function decodeLine(line: string): CodewhaleLine {
  const { at, event } = parse(line);
  return { at: timeOf(at), ...decodeFrame(event) };
}

function parse(line: string): { readonly at?: unknown; readonly event?: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw bad("A codewhale line is one line of JSON, and this line is not JSON.", cause);
  }
  if (!isFields(value)) throw bad(`A codewhale line is a JSON object with "at" and "event".`);
  return value;
}

// Date.parse alone accepts much that is not RFC 3339, and an offset can push the year out of the four digits an envelope has.
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const FIRST = Date.parse("0000-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

function timeOf(at: unknown): string {
  const time = typeof at === "string" && RFC_3339.test(at) ? Date.parse(at) : Number.NaN;
  if (time >= FIRST && time <= LAST) return new Date(time).toISOString();
  throw bad(`The "at" of a codewhale line must be an RFC 3339 time.`);
}
