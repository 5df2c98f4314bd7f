import { z } from "zod";
import { exportFormats } from "../export/formats.js";
import { writeExport } from "../export/write-export.js";
import type { Answer } from "../http/answer.js";
import { wholeNumber } from "../http/read-input.js";
import { badRequest, Refused } from "../http/refused.js";
import type { EventFilter, Store, TimeFilter } from "../store/store.js";
import { type FilterQuery, filterQuery, readFilter } from "./filter-query.js";
import { route } from "./route.js";

const MAX_LIMIT = 1_000_000;
const MAX_SESSIONS = 10_000;

export const exportEvents = route({
  method: "GET",
  path: "/api/export",
  scope: "read",
  access: "read",
  summary: "Gives stored events as a file: newest first, or an HTML report in reading order; a session with its subagents, by time",
  query: z.strictObject({
    format: z
      .enum(Object.keys(exportFormats) as (keyof typeof exportFormats)[])
      .describe("`html` is a report that opens in any browser, oldest first, with flows of small events folded."),
    ...filterQuery,
    limit: wholeNumber(1, MAX_LIMIT)
      .default(MAX_LIMIT)
      .describe("The largest number of events, the newest; an HTML file has at most 10,000."),
  }),
  answer: { description: "The file.", mediaType: "*/*" },
  async handle({ parts, query: { format: name, limit, ...query }, incoming, outgoing }): Promise<Answer> {
    const format = exportFormats[name];
    const filter = await withSubagents(parts.store, readFilter(query));
    const given = valuesOf(query);
    // A file without events looks like a record of nothing having happened.
    if (await isEmpty(parts.store, filter))
      throw new Refused(404, "HL_NOT_FOUND", "No stored event matches, so there is nothing to export.", {
        fix: { run: "hookline tail --no-follow" },
      });
    outgoing.writeHead(200, {
      "Content-Type": `${format.mediaType}; charset=utf-8`,
      // The browser must save the file and not show it: its content comes from events.
      "Content-Disposition": `attachment; filename="${exportFileName(name, given, new Date())}"`,
      "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    });
    const most = Math.min(limit, format.maxEvents);
    if (incoming.method === "HEAD") outgoing.end();
    else void writeExport(parts.store, outgoing, { format, filter, filterText: textOf(given, filter), limit: most });
    return "sent";
  },
});

async function isEmpty(store: Pick<Store, "page" | "inTime">, filter: EventFilter | TimeFilter): Promise<boolean> {
  const found = "sessions" in filter ? await store.inTime(filter, { order: "newest", limit: 1 }) : await store.page(filter, { limit: 1 });
  return found.events.length === 0;
}

type Values = ReadonlyMap<string, readonly string[]>;

function valuesOf(query: FilterQuery): Values {
  return new Map(Object.entries(query).map(([name, value]) => [name, [value].flat()]));
}

function textOf(given: Values, filter: EventFilter | TimeFilter): string {
  const others = "sessions" in filter ? filter.sessions.length - 1 : 0;
  return `${filterText(given)}${others === 0 ? "" : ` with ${others === 1 ? "a subagent" : `${others} subagents`}`}`;
}

/** A session is exported as a whole, with the sessions that it started and those that they started. */
async function withSubagents(store: Pick<Store, "family">, { session, ...rest }: EventFilter): Promise<EventFilter | TimeFilter> {
  if (session === undefined) return rest;
  const sessions = await store.family(session, MAX_SESSIONS + 1);
  // An incomplete file would look like a complete one.
  if (sessions.length > MAX_SESSIONS)
    throw badRequest(`The session has more than ${MAX_SESSIONS} subagents.`, "Export a part of it, by time or text, or one subagent.");
  return { ...rest, sessions };
}

/** The parameters of a request, each with all its values. */
type Query = ReadonlyMap<string, readonly string[]>;

const VERDICTS: { readonly [verdict: string]: string } = { deny: "denied", ask: "asked", allow: "allowed", pass: "passed" };
const MAX_LENGTH = 60;

/** Such as `hookline-2026-11-16T0758-denied-tool.csv`: when, in the hub's own time, and what the filter was. Safe on every system. */
function exportFileName(format: string, query: Query, now: Date): string {
  const [year, ...rest] = [now.getFullYear(), now.getMonth() + 1, now.getDate(), now.getHours(), now.getMinutes()];
  const [month, day, hour, minute] = rest.map((part) => String(part).padStart(2, "0"));
  const words = filterWords(query);
  return `hookline-${year}-${month}-${day}T${hour}${minute}${words === "" ? "" : `-${words}`}.${format}`;
}

function filterWords(query: Query): string {
  const of = (name: string): readonly string[] => query.get(name) ?? [];
  const given = [
    ...of("decision").map((verdict) => VERDICTS[verdict] ?? verdict),
    ...["event", "tool", "source", "session", "text"].flatMap(of),
    ...["since", "until"].flatMap((name) => of(name).map((value) => `${name}-${value}`)),
  ];
  const safe = given.join("-").replace(/[^A-Za-z0-9]+/g, "-");
  return safe
    .slice(0, MAX_LENGTH + 1)
    .replace(/^-+|-+$/g, "")
    .slice(0, MAX_LENGTH);
}

const NAMES = ["event", "tool", "decision", "session", "source", "since", "until", "text"];

/** A filter as a person types it into the page: `decision:deny since:2h`. Empty where there is none. */
function filterText(query: ReadonlyMap<string, readonly string[]>): string {
  return NAMES.flatMap((name) => (query.get(name) ?? []).map((value) => (name === "text" ? value : `${name}:${inQuotes(value)}`))).join(
    " ",
  );
}

function inQuotes(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}
