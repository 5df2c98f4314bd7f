import { upgradeEnvelope } from "@hookline/core/internal";
import type { EventOrigin, PlacedEvent } from "../protocol.js";
import { toolIn } from "../store/row.js";
import { type StoredEvent, withFields } from "../store/store.js";
import { openReport } from "./report.js";

/** How events are written to a file. */
export interface ExportFormat {
  readonly mediaType: string;
  /** A larger export is useless, and browsers cannot handle it. */
  readonly maxEvents: number;
  /** The oldest first, to be read; the others give the newest first. */
  readonly isInReadingOrder: boolean;
  /** `filter`: as a person types it; empty where there is none. */
  open(filter: string): ExportWriter;
}

/** One file. What it writes for an event may wait until the next one is known. */
interface ExportWriter {
  readonly head: string;
  row(event: StoredEvent): string;
  tail(count: number, isCut: boolean): string;
}

const MILLION = 1_000_000;

export const exportFormats: { readonly [name in "jsonl" | "csv" | "html"]: ExportFormat } = {
  jsonl: {
    mediaType: "application/x-ndjson",
    maxEvents: MILLION,
    isInReadingOrder: false,
    open: () => ({ head: "", row: (event) => `${oneLine(withFields(event, originOf(event)))}\n`, tail: () => "" }),
  },
  csv: {
    mediaType: "text/csv",
    maxEvents: MILLION,
    isInReadingOrder: false,
    open: () => ({ head: CSV_HEAD, row: (event) => csvLine(parsed(event)), tail: () => "" }),
  },
  html: {
    mediaType: "text/html",
    maxEvents: 10_000,
    isInReadingOrder: true,
    open(filter) {
      const report = openReport({ exportedAt: new Date().toISOString(), filter });
      return { ...report, row: (event) => report.row(parsed(event)) };
    },
  },
};

// Between the tokens of JSON a sender may write line ends.
function oneLine(body: string): string {
  return /[\r\n]/.test(body) ? body.replace(/[\r\n]/g, " ") : body;
}

type Exported = PlacedEvent & { readonly origin?: EventOrigin };

function parsed(event: StoredEvent): Exported {
  const { place, body, host } = event;
  return { ...upgradeEnvelope(JSON.parse(body) as PlacedEvent), place, ...(host != null && { host }), ...originOf(event) };
}

function originOf({ origin }: StoredEvent): { readonly origin?: EventOrigin } {
  return origin == null ? {} : { origin: JSON.parse(origin) as EventOrigin };
}

const COLUMNS = [
  "at",
  "event",
  "app",
  "session",
  "tool",
  "verdict",
  "by",
  "reason",
  "id",
  "place",
  "payload",
  "host",
  "way",
  "pid",
  "user",
  "program",
] as const;

const CSV_HEAD = `${COLUMNS.join(",")}\r\n`;

/** A line of RFC 4180. */
function csvLine({ at, event, source, session, decision, id, place, payload, host, origin }: Exported): string {
  const { verdict, by, reason } = decision ?? {};
  const { pid, uid, program } = origin?.process ?? {};
  const known = [at, event, source.app, session?.id, toolIn(payload), verdict, by, reason, id, place, JSON.stringify(payload), host];
  const cells = [...known, origin?.way, pid, uid, program];
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
