import { summarizePayload } from "@hookline/core/internal";
import type { Envelope } from "@hookline/core/sinks";

const MAX_LENGTH = 2_000;

/** What is worth seeing of an event on one line, not yet inert. */
export function detailOf({ event, payload }: Pick<Envelope, "event" | "payload">): string {
  const text = summarizePayload(payload).slice(0, MAX_LENGTH);
  // Of a part of a sentence, the blanks at its ends count.
  return event === "message:delta" ? JSON.stringify(text) : text;
}
