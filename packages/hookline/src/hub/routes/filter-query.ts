import { HookError } from "@hookline/core";
import { resolveEvent } from "@hookline/core/internal";
import { badRequest, refusedWith } from "../http/refused.js";
import type { EventFilter } from "../store/store.js";
import type { Query, Route } from "./route.js";

const text = { type: "string", minLength: 1 };
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

/** The parameters that choose events, the same wherever events are given out. */
export const filterQuery: NonNullable<Route["query"]> = {
  event: {
    description: "A name in any spelling, or a pattern such as `tool:*`. Several mean any of them.",
    schema: text,
    isRepeatable: true,
  },
  session: { description: "The session's id.", schema: text },
  source: { description: "The source's app or instance.", schema: text },
  tool: { description: "The tool's name, in any case.", schema: text },
  decision: { description: "What came of it; `ask`: somebody was asked, whatever came of that.", schema: { enum: VERDICTS } },
  since: { description: "From this time on: ISO 8601, milliseconds since 1970, or an age such as `15m`, `2h`, `7d`.", schema: text },
  until: { description: "Before this time, written as for `since`.", schema: text },
  text: {
    description:
      "Words that must all occur, each also as the beginning of a longer one; what stands in double quotes in this order, as it is.",
    schema: { ...text, maxLength: MAX_TEXT },
  },
};

/** The filter that a request's parameters say. Throws 400, naming the parameter. */
export function readFilter(query: Query, now = Date.now()): EventFilter {
  const one = (name: string): string | undefined => query.get(name)?.[0];
  const [session, source, tool] = [one("session"), one("source"), one("tool")];
  const [since, until] = [readTime("since", one("since"), now), readTime("until", one("until"), now)];
  const [decision, words] = [readVerdict(one("decision")), readWords(one("text"))];
  const events = query.get("event")?.map(readEvent);
  return {
    ...(events !== undefined && { events }),
    ...(session !== undefined && { session }),
    ...(source !== undefined && { source }),
    ...(tool !== undefined && { tool }),
    ...(decision !== undefined && { decision }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(words !== undefined && { text: words }),
  };
}

function readEvent(given: string): string {
  if (given.includes("*")) {
    if (PATTERN.test(given)) return given;
    throw badRequest(`The parameter "event" has no pattern in "${given.slice(0, 64)}".`, "Write `tool:*` for one namespace, or `*`.");
  }
  try {
    return resolveEvent(given).name;
  } catch (error) {
    if (error instanceof HookError) throw refusedWith(400, error);
    throw error;
  }
}

function readVerdict(given: string | undefined): EventFilter["decision"] {
  const verdict = VERDICTS.find((word) => word === given);
  if (given !== undefined && verdict === undefined) throw badRequest(`The parameter "decision" must be one of ${VERDICTS.join(", ")}.`);
  return verdict;
}

function readTime(name: string, given: string | undefined, now: number): number | undefined {
  if (given === undefined) return undefined;
  const [, count, unit = ""] = /^(\d{1,9})([smhdw])$/.exec(given) ?? [];
  if (count !== undefined) return now - Number(count) * (UNITS_MS[unit] as number);
  const time = /^\d{1,15}$/.test(given) ? Number(given) : ISO.test(given) ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw badRequest(
    `The parameter "${name}" is no time.`,
    "Write 2026-01-31T12:00:00Z, milliseconds since 1970, or an age such as 15m, 2h or 7d.",
  );
}

function readWords(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  if (given.length <= MAX_TEXT && given.split(/\s+/).length <= MAX_WORDS) return given;
  throw badRequest(`The parameter "text" is longer than ${MAX_TEXT} characters or ${MAX_WORDS} words.`);
}
