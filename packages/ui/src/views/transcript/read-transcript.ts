import type { PlacedEvent } from "../../api/answers.js";
import { isFields } from "../../text/fields.js";
import { createAssembly } from "./assemble-entries.js";
import { isEnvelope } from "./is-envelope.js";

export interface ReadFile {
  readonly events: readonly PlacedEvent[];
  /** Lines that are neither envelopes nor entries of a transcript. */
  readonly unread: number;
}

export interface Reader {
  /** A line of the file; gives what stands in it. */
  add(line: string): unknown;
  result(): ReadFile;
}

/** Events of a file with one JSON object a line: envelopes, or the entries of a transcript, which are put together to events. */
export function createReader(): Reader {
  const events: PlacedEvent[] = [];
  const assembly = createAssembly();
  let unread = 0;
  return {
    add(line) {
      const value = parsed(line);
      if (isEnvelope(value)) events.push({ ...value, place: events.length + 1 });
      else if (!isFields(value) || !assembly.add(value)) unread++;
      return value;
    },
    result: () => ({ events: [...events, ...assembly.events(events.length)], unread }),
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
