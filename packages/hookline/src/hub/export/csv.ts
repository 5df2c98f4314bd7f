import type { PlacedEvent } from "../protocol.js";
import { toolIn } from "../store/row.js";

const COLUMNS = ["at", "event", "app", "session", "tool", "verdict", "by", "reason", "id", "place", "payload"] as const;

export const CSV_HEAD = `${COLUMNS.join(",")}\r\n`;

/** A line of RFC 4180. */
export function csvLine({ at, event, source, session, decision, id, place, payload }: PlacedEvent): string {
  const { verdict, by, reason } = decision ?? {};
  const cells = [at, event, source.app, session?.id, toolIn(payload), verdict, by, reason, id, place, JSON.stringify(payload)];
  return `${cells.map(cell).join(",")}\r\n`;
}

/**
 * Always in quotes, and never a formula: a spreadsheet runs what begins with one of these signs, also behind blanks, and some of them also in
 * their wide forms. Behind an apostrophe it is text.
 */
function cell(value: string | number | undefined): string {
  const text = value === undefined ? "" : String(value);
  const isFormula = /^[\s\p{C}]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]/u.test(text) || /^[\t\r\n]/.test(text);
  return `"${isFormula ? "'" : ""}${text.replaceAll('"', '""').replaceAll("\0", "\ufffd")}"`;
}
