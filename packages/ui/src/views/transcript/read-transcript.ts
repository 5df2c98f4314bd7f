import type { PlacedEvent } from "../../api/answers.js";
import { isFields } from "../../text/fields.js";
import { createAssembly } from "./assemble-entries.js";
import { isEnvelope } from "./is-envelope.js";

export interface ReadFile {
  readonly events: readonly PlacedEvent[];
  /** In what lines each event stands, or, in a transcript, in which entries, by its place less one. */
  readonly numbers: readonly (readonly number[])[];
  /** Lines of a transcript: each event takes several, and two are of none. */
  readonly entries: number;
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
  const numbers: number[][] = [];
  let lines = 0;
  let unread = 0;
  return {
    add(line) {
      const value = parsed(line);
      lines++;
      if (isEnvelope(value)) {
        events.push({ ...value, place: events.length + 1 });
        numbers.push([lines]);
      } else if (!isFields(value) || !assembly.add(value, lines)) unread++;
      return value;
    },
    result: () => ({
      events: [...events, ...assembly.events(events.length)],
      numbers: [...numbers, ...assembly.numbers()],
      entries: lines - events.length - unread,
      unread,
    }),
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
