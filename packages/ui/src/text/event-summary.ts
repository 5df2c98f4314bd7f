import { summarizePayload } from "../../../core/src/catalog/payload-summary.js";

const MAX_LENGTH = 400;

/** What is worth seeing of an event on one line, not yet inert. */
export function summaryOf(payload: unknown): string {
  const text = summarized(payload);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/** What is nested too deep to be written says so. */
function summarized(payload: unknown): string {
  try {
    return summarizePayload(payload);
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}
