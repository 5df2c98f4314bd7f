import { exportFileName } from "../export/file-name.js";
import { filterText } from "../export/filter-text.js";
import { exportFormats } from "../export/formats.js";
import { writeExport } from "../export/write-export.js";
import type { Answer } from "../http/answer.js";
import { badRequest } from "../http/refused.js";
import type { EventFilter, Store, TimeFilter } from "../store/store.js";
import { filterQuery, readFilter } from "./filter-query.js";
import { readCount } from "./read-query.js";
import type { Query, Route } from "./route.js";

const MAX_LIMIT = 1_000_000;
const MAX_SESSIONS = 10_000;
const names = Object.keys(exportFormats);

export const exportEvents: Route = {
  method: "GET",
  path: "/api/export",
  scope: "read",
  summary: "Stored events as a file, newest first; a session with its subagents, in the order of their times",
  query: {
    format: { description: "`jsonl`, `csv`, or `html`, a file that opens in any browser.", schema: { enum: names }, isRequired: true },
    ...filterQuery,
    limit: { description: "How many at most; an HTML file has 10,000.", schema: { type: "integer", minimum: 1, maximum: MAX_LIMIT } },
  },
  response: { description: "The file, as it is written.", mediaType: "*/*", schema: { type: "string" } },
  async handle({ parts, query, incoming, outgoing }): Promise<Answer> {
    const name = query.get("format")?.[0] ?? "";
    if (!isFormat(name)) throw badRequest(`The parameter "format" must be one of ${names.join(", ")}.`);
    const format = exportFormats[name];
    const limit = Math.min(readCount(query, "limit", { min: 1, max: MAX_LIMIT }) ?? MAX_LIMIT, format.maxEvents);
    const filter = await withSubagents(parts.store, readFilter(query));
    outgoing.writeHead(200, {
      "Content-Type": `${format.mediaType}; charset=utf-8`,
      // Saved and not shown: what is in it comes from events.
      "Content-Disposition": `attachment; filename="${exportFileName(name, query, new Date())}"`,
      "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    });
    if (incoming.method === "HEAD") outgoing.end();
    else void writeExport(parts.store, outgoing, { format, filter, filterText: textOf(query, filter), limit });
    return "sent";
  },
};

function textOf(query: Query, filter: EventFilter | TimeFilter): string {
  const others = "sessions" in filter ? filter.sessions.length - 1 : 0;
  return `${filterText(query)}${others === 0 ? "" : ` with ${others === 1 ? "a subagent" : `${others} subagents`}`}`;
}

/** A session is exported as a whole: with those that it started, and what these started. */
async function withSubagents(store: Pick<Store, "family">, { session, ...rest }: EventFilter): Promise<EventFilter | TimeFilter> {
  if (session === undefined) return rest;
  const sessions = await store.family(session, MAX_SESSIONS + 1);
  // To leave some out would make half a file look like a whole one.
  if (sessions.length > MAX_SESSIONS)
    throw badRequest(
      `The session has more than ${MAX_SESSIONS} subagents.`,
      "Export what you need of it by time or text, or one subagent.",
    );
  return { ...rest, sessions };
}

function isFormat(name: string): name is keyof typeof exportFormats {
  return Object.hasOwn(exportFormats, name);
}
