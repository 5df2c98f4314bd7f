import { type Fields, isFields } from "../../text/fields.js";
import type { ShownEvent } from "../event/shown-event.js";
import { createAssembly } from "./assemble-entries.js";

export interface ReadFile {
  readonly events: readonly ShownEvent[];
  /** Lines that are neither envelopes nor entries of a transcript. */
  readonly unread: number;
}

/** Events of a file with one JSON object a line: envelopes, or the entries of a transcript, which are put together to events. */
export function readTranscript(text: string): ReadFile {
  const events: ShownEvent[] = [];
  const assembly = createAssembly();
  let unread = 0;
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const value = parsed(line);
    if (isEnvelope(value)) events.push({ ...value, place: events.length + 1 });
    else if (!isFields(value) || !assembly.add(value)) unread++;
  }
  const all = [...events, ...assembly.events(events.length)];
  return { events: all, unread };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Enough of one to be shown; the file may be anybody's. */
function isEnvelope(value: unknown): value is Omit<ShownEvent, "place"> {
  return (
    isFields(value) &&
    value.v === 1 &&
    ["id", "at", "event"].every((key) => typeof value[key] === "string") &&
    isFields(value.source) &&
    typeof value.source.app === "string" &&
    isWhole(value.session) &&
    isWhole(value.decision)
  );
}

function isWhole(value: unknown): value is Fields | undefined {
  return value === undefined || isFields(value);
}
