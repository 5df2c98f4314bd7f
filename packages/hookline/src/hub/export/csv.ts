import type { PlacedEvent } from "../protocol.js";

const COLUMNS = ["at", "event", "app", "session", "tool", "verdict", "by", "reason", "id", "place", "payload"] as const;

export const CSV_HEAD = `${COLUMNS.join(",")}\r\n`;

/** A line of RFC 4180. */
export function csvLine({ at, event, source, session, decision, id, place, payload }: PlacedEvent): string {
  const tool = (payload as { readonly tool?: { readonly name?: unknown } } | null)?.tool?.name;
  const { verdict, by, reason } = decision ?? {};
  const cells = [at, event, source.app, session?.id, tool, verdict, by, reason, id, place, JSON.stringify(payload)];
  return `${cells.map(cell).join(",")}\r\n`;
}

/**
 * Always in quotes, and never a formula: a spreadsheet runs what begins with one of these signs, also behind blanks, and some of them also in
 * their wide forms. Behind an apostrophe it is text.
 */
function cell(value: unknown): string {
  const text = String(value ?? "");
  const isFormula = /^[\s\p{C}]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]/u.test(text) || /^[\t\r\n]/.test(text);
  return `"${isFormula ? "'" : ""}${text.replaceAll('"', '""').replaceAll("\0", "\ufffd")}"`;
}
