import { exportFileName } from "../export/file-name.js";
import { filterText } from "../export/filter-text.js";
import { exportFormats } from "../export/formats.js";
import { writeExport } from "../export/write-export.js";
import { badRequest } from "../http/refused.js";
import { filterQuery, readFilter } from "./filter-query.js";
import { readCount } from "./read-query.js";
import type { Route } from "./route.js";

const MAX_LIMIT = 1_000_000;
const names = Object.keys(exportFormats);

export const exportEvents: Route = {
  method: "GET",
  path: "/api/export",
  scope: "read",
  summary: "Stored events as a file, newest first",
  query: {
    format: { description: "`jsonl`, `csv`, or `html`, a file that opens in any browser.", schema: { enum: names }, isRequired: true },
    ...filterQuery,
    limit: { description: "How many at most; an HTML file has 10,000.", schema: { type: "integer", minimum: 1, maximum: MAX_LIMIT } },
  },
  response: { description: "The file, as it is written.", mediaType: "*/*", schema: { type: "string" } },
  handle({ parts, query, incoming, outgoing }) {
    const name = query.get("format")?.[0] ?? "";
    if (!isFormat(name)) throw badRequest(`The parameter "format" must be one of ${names.join(", ")}.`);
    const format = exportFormats[name];
    const limit = Math.min(readCount(query, "limit", { min: 1, max: MAX_LIMIT }) ?? MAX_LIMIT, format.maxEvents);
    const filter = readFilter(query);
    outgoing.writeHead(200, {
      "Content-Type": `${format.mediaType}; charset=utf-8`,
      // Saved and not shown: what is in it comes from events.
      "Content-Disposition": `attachment; filename="${exportFileName(name, query, new Date())}"`,
      "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    });
    if (incoming.method === "HEAD") outgoing.end();
    else void writeExport(parts.store, outgoing, { format, filter, filterText: filterText(query), limit });
    return "sent";
  },
};

function isFormat(name: string): name is keyof typeof exportFormats {
  return Object.hasOwn(exportFormats, name);
}
