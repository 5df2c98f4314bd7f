import { findEvent, HookError } from "@hookline/core";
import { resolveEvent } from "@hookline/core/internal";
import { z } from "zod";
import { badRequest, refusedWith } from "../http/refused.js";
import type { EventFilter } from "../store/store.js";

const VERDICTS = ["pass", "allow", "ask", "deny"] as const;
const MAX_TEXT = 256;
const MAX_WORDS = 32;
const MINUTE_MS = 60_000;
const UNITS_MS: { readonly [unit: string]: number } = {
  s: 1_000,
  m: MINUTE_MS,
  h: 60 * MINUTE_MS,
  d: 1_440 * MINUTE_MS,
  w: 10_080 * MINUTE_MS,
};
const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;
const PATTERN = /^(?:\*|[A-Za-z][\w.-]*(?::[^\s:*]+)*:\*)$/;

const text = z.string().exactOptional();

/** The parameters that select events, the same for every route that gives events. */
export const filterQuery = {
  event: z.array(z.string()).exactOptional().describe("A name in any spelling, or a pattern such as `tool:*`. Several mean any of them."),
  session: text.describe("The session's id."),
  host: text.describe("In a fleet's store: the host that sent the event, by the name of its credential; `*` for any host."),
  source: text.describe("The source's app or instance."),
  tool: text.describe("The tool's name, in any case."),
  decision: z.enum(VERDICTS).exactOptional().describe("The verdict. `ask`: a person was asked, whatever the answer was."),
  since: text.describe("From this time on: ISO 8601, milliseconds since 1970, or an age such as `15m`, `2h`, `7d`."),
  until: text.describe("Before this time, written as for `since`."),
  text: text.describe(
    "Words that must all occur, each also as the beginning of a longer word. Words in double quotes must occur in this order.",
  ),
};

export type FilterQuery = z.output<z.ZodObject<typeof filterQuery>>;

/** The filter that a query describes. Throws 400, naming the parameter. */
export function readFilter(query: FilterQuery, now = Date.now()): EventFilter {
  const { session, host, source, tool, decision } = query;
  const [since, until] = [readTime("since", query.since, now), readTime("until", query.until, now)];
  const words = readWords(query.text);
  const events = query.event?.map(readEvent);
  return {
    ...(events !== undefined && { events }),
    ...(session !== undefined && { session }),
    ...(host !== undefined && { host }),
    ...(source !== undefined && { source }),
    ...(tool !== undefined && { tool }),
    ...(decision !== undefined && { decision }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(words !== undefined && { text: words }),
  };
}

function readEvent(written: string): string {
  const given = findEvent(written)?.name ?? written;
  if (given.includes("*")) {
    if (PATTERN.test(given)) return given;
    throw badRequest(`The parameter "event" is not a pattern: "${given.slice(0, 64)}".`, "Write `tool:*` for one namespace, or `*`.");
  }
  try {
    return resolveEvent(given).name;
  } catch (error) {
    if (error instanceof HookError) throw refusedWith(400, error);
    throw error;
  }
}

export function readTime(name: string, given: string | undefined, now: number): number | undefined {
  if (given === undefined) return undefined;
  const [, count, unit = ""] = /^(\d{1,9})([smhdw])$/.exec(given) ?? [];
  if (count !== undefined) return now - Number(count) * (UNITS_MS[unit] as number);
  const time = /^\d{1,15}$/.test(given) ? Number(given) : ISO.test(given) ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw badRequest(
    `The parameter "${name}" is not a time.`,
    "Write 2026-01-31T12:00:00Z, milliseconds since 1970, or an age such as 15m, 2h or 7d.",
  );
}

function readWords(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  if (given.length <= MAX_TEXT && given.split(/\s+/).length <= MAX_WORDS) return given;
  throw badRequest(`The parameter "text" is longer than ${MAX_TEXT} characters or ${MAX_WORDS} words.`);
}
