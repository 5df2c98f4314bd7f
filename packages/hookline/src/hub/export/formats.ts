import type { PlacedEvent } from "../protocol.js";
import type { StoredEvent } from "../store/store.js";
import { CSV_HEAD, csvLine } from "./csv.js";
import { htmlHead, htmlRow, htmlTail } from "./html.js";

/** How events are written to a file. */
export interface ExportFormat {
  readonly mediaType: string;
  /** More would be of no use to anybody, and a browser chokes on it. */
  readonly maxEvents: number;
  /** `filter`: as a person types it; empty where there is none. */
  head(filter: string): string;
  row(event: StoredEvent): string;
  tail(count: number, isCut: boolean): string;
}

const MILLION = 1_000_000;

export const exportFormats: { readonly [name in "jsonl" | "csv" | "html"]: ExportFormat } = {
  jsonl: { mediaType: "application/x-ndjson", maxEvents: MILLION, head: () => "", row: ({ body }) => `${oneLine(body)}\n`, tail: () => "" },
  csv: { mediaType: "text/csv", maxEvents: MILLION, head: () => CSV_HEAD, row: (event) => csvLine(parsed(event)), tail: () => "" },
  html: {
    mediaType: "text/html",
    maxEvents: 10_000,
    head: (filter) => htmlHead({ exportedAt: new Date().toISOString(), filter }),
    row: (event) => htmlRow(parsed(event)),
    tail: htmlTail,
  },
};

// Between the tokens of JSON a sender may write line ends.
function oneLine(body: string): string {
  return /[\r\n]/.test(body) ? body.replace(/[\r\n]/g, " ") : body;
}

function parsed({ place, body }: StoredEvent): PlacedEvent {
  return { ...(JSON.parse(body) as PlacedEvent), place };
}
