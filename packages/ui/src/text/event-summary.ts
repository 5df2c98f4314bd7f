import { summarizePayload } from "../../../core/src/catalog/payload-summary.js";

const MAX_LENGTH = 400;

/** What is worth seeing of an event on one line, not yet inert. */
export function summaryOf(payload: unknown): string {
  const text = summarizePayload(payload);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
