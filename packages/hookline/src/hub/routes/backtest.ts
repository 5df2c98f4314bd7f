import { HookError } from "@hookline/core";
import { z } from "zod";
import { parseConfig } from "../../config/load-config.js";
import type { Rule } from "../../rules/rule.js";
import { readStarterRules } from "../../rules/starter/starter-rules.js";
import { SAID } from "../backtest/recorded-call.js";
import { backtestInThread, suggestInThread } from "../backtest/run-in-thread.js";
import { json } from "../http/answer.js";
import { wholeNumber } from "../http/read-input.js";
import { badRequest, Refused, refusedAs, refusedWith } from "../http/refused.js";
import type { HubParts } from "../parts.js";
import type { AddSuggestionAnswer, BacktestAnswer, SuggestionsAnswer } from "../protocol.js";
import { within } from "./deadline.js";
import { readTime } from "./filter-query.js";
import { route } from "./route.js";
import { contract, count, verdict } from "./schemas.js";

const said = z.enum(SAID).register(contract, { id: "RulesSaid" });
const bySaid = z.object({ block: count, ask: count, rewrite: count, allow: count, pass: count }).register(contract, { id: "SaidCounts" });

const backtestExample = z
  .object({
    id: z.string().describe("The newest event of its kind."),
    at: count.describe("Milliseconds since 1970."),
    event: z.string(),
    app: z.string(),
    session: z.string().exactOptional(),
    tool: z.string().exactOptional(),
    about: z.string().describe("The command, path or prompt, shortened."),
    was: said.describe("What the rules said before."),
    now: said.describe("What the rules say now."),
    by: z.string().exactOptional().describe("The rule that decides now."),
    reason: z.string().exactOptional(),
    verdict: verdict.exactOptional().describe("What really came of the call. Missing if no guard was asked."),
    isInconclusive: z.literal(true).exactOptional().describe("The record hides or cuts something that a rule reads."),
    times: count.describe("How many calls are like it."),
  })
  .register(contract, { id: "BacktestExample" });

const backtestRule = z
  .object({
    name: z.string(),
    do: z.string(),
    matched: count.describe("How many calls it matched."),
    decided: count.describe("How many calls it decided."),
    inconclusive: count.describe("How many calls it might have matched if the record were complete."),
    days: z
      .array(z.object({ day: count, matched: count }))
      .describe("Matches by day: the start of the day in UTC, in milliseconds since 1970."),
  })
  .register(contract, { id: "BacktestRule" });

const backtestAnswer = z
  .object({
    calls: count.describe("How many recorded events the rules were asked about."),
    imported: count.describe("How many of them were imported."),
    first: count.exactOptional().describe("Milliseconds since 1970."),
    last: count.exactOptional(),
    same: count.describe("How many get the same answer."),
    inconclusive: count.describe("How many cannot be judged, because the record hides or cuts something that a rule reads."),
    unreadable: count,
    byHooks: count.describe("How many a hook denied, asked about, changed or failed on. Hooks are not tried."),
    was: bySaid.describe("What the rules said before."),
    now: bySaid.describe("What the rules say now."),
    changes: bySaid.describe("How many calls get another answer, by the new one."),
    rules: z.array(backtestRule),
    examples: z
      .array(backtestExample)
      .describe("Calls with another answer and calls that cannot be judged, the most frequent of each kind."),
    unlooked: z
      .array(z.object({ event: z.string(), tool: z.string(), calls: count }))
      .describe("Calls that no rule looks at, by event and tool."),
    isComplete: z.boolean().describe("False if it was ended early."),
    problems: z.array(z.string()).describe("Rules that cannot be used, and why."),
    untried: z.array(z.string()).describe("Rules that are not tried, because they change values that are not recorded."),
  })
  .register(contract, { id: "BacktestAnswer" });

const LIMIT_MS = 20_000;
const MAX_RUNNING = 2;
const MAX_EVENTS = 20_000;
let running = 0;

export const backtestRules = route({
  method: "POST",
  path: "/api/rules/backtest",
  scope: "read",
  access: "read",
  summary: "Sends recorded calls through rules that are not in force, and compares the answers",
  body: z
    .strictObject({
      rules: z.string().max(65_536).exactOptional().describe("`[[rule]]` tables, as in `hookline.toml`."),
      name: z.string().exactOptional().describe("A rule in force, in place of `rules`."),
      since: z.string().default("30d").describe("From this time on: ISO 8601, milliseconds since 1970, or an age such as `30d`."),
      limit: count.min(1).max(MAX_EVENTS).default(MAX_EVENTS).describe("No more events than this, the newest."),
    })
    .register(contract, { id: "BacktestRequest" }),
  answer: {
    description: "What the rules would have said. Only rules of the same names count as what was said before.",
    body: backtestAnswer,
  },
  async handle({ parts, body, outgoing }) {
    const rules = body.rules ?? namedRule(parts, body.name);
    const request = { store: parts.decisionHead.path, rules, since: readTime("since", body.since, Date.now()) ?? 0, maxEvents: body.limit };
    return json(
      (await inTurn(
        (run) => within(LIMIT_MS, outgoing, run),
        (signal) => backtestInThread(request, signal),
      )) satisfies BacktestAnswer,
    );
  },
});

type Run<T> = (signal: AbortSignal) => Promise<T>;

async function inTurn<T>(limited: (run: Run<T>) => Promise<T>, run: Run<T>): Promise<T> {
  if (running >= MAX_RUNNING)
    throw new Refused(429, "HL_TOO_MANY", "Two backtests are running already.", { headers: { "Retry-After": "1" } });
  running++;
  try {
    return await limited(run);
  } catch (error) {
    throw error instanceof HookError ? refusedWith(error.code === "HL_CONFIG" ? 400 : 503, error) : error;
  } finally {
    running--;
  }
}

const suggestion = z
  .object({
    name: z.string(),
    answers: z.string().describe("The rule that asks."),
    approvals: count.describe("How often people approved such calls."),
    people: z.array(z.string()).describe("The names of the people."),
    first: count.describe("The first approval, in milliseconds since 1970."),
    last: count.describe("The last approval."),
    toml: z.string().describe("The `[[rule]]` table, as it would stand in `hookline.toml`."),
    answered: z
      .object({ approved: count, others: count })
      .describe("How many recorded calls it would have let through without a question: those that a person approved, and others."),
    examples: z
      .array(
        z.object({
          id: z.string(),
          at: count.describe("Milliseconds since 1970."),
          about: z.string(),
          was: z
            .enum(["approved", "not answered", "not asked", "not judged"])
            .describe("What came of the call. `not judged`: no guard saw it, because it was imported."),
          times: count,
        }),
      )
      .describe("Such calls. Those without an approval come first."),
  })
  .register(contract, { id: "RuleSuggestion" });

const DEFAULT_MINIMUM = 5;
const suggestionQuery = {
  since: z.string().default("90d").describe("Approvals from this time on: ISO 8601, milliseconds since 1970, or an age such as `90d`."),
  minimum: wholeNumber(2, 1_000).default(DEFAULT_MINIMUM).describe("How often a call must have been approved."),
};

export const ruleSuggestions = route({
  method: "GET",
  path: "/api/rules/suggestions",
  scope: "read",
  access: "read",
  summary: "Suggests rules that answer what people have approved again and again",
  query: z.strictObject(suggestionQuery),
  answer: {
    description: "The narrowest rules that cover the approved calls, and what else each would let through.",
    body: z
      .object({
        calls: count.describe("How many recorded calls the suggestions were tried on."),
        suggestions: z.array(suggestion).describe("Those with the most approvals first."),
      })
      .register(contract, { id: "SuggestionsAnswer" }),
  },
  handle: async ({ parts, query }) => json((await suggest(parts, query)) satisfies SuggestionsAnswer),
});

export const addSuggestion = route({
  method: "POST",
  path: "/api/rules/suggestions/:name",
  scope: "approve",
  access: "operate",
  allows: ({ params: { name } }) => `Add the suggested rule "${name}" to hookline.toml: it allows calls that a rule asks about.`,
  summary: "Adds a suggested rule to `hookline.toml`",
  params: z.object({ name: z.string().describe("Its name, which stands for exactly this rule.") }),
  body: z
    .strictObject({
      since: suggestionQuery.since.describe("As in the request that showed the suggestion."),
      minimum: wholeNumber(2, 1_000).default(DEFAULT_MINIMUM),
    })
    .register(contract, { id: "AddSuggestionRequest" }),
  answer: {
    description: "The file was written, and the hub has loaded it.",
    body: z.object({ name: z.string(), file: z.string() }).register(contract, { id: "AddSuggestionAnswer" }),
  },
  async handle({ parts, params: { name }, body }) {
    const { suggestions } = await suggest(parts, body);
    const found = suggestions.find((one) => one.name === name);
    if (found === undefined)
      throw new Refused(404, "HL_NOT_FOUND", `Nothing suggests a rule "${name.slice(0, 128)}" any more.`, {
        fix: { run: "hookline rules suggest" },
      });
    const file = await refusedAs({ HL_NOT_FOUND: 404, HL_CONFIG: 409, HL_NOT_SHOWN: 409 }, parts.handlers.addAnswer(found));
    return json({ name, file } satisfies AddSuggestionAnswer);
  },
});

/** Rules of this set are never answered. */
const SELF_PROTECTION = "self-protection";

async function suggest(
  { handlers, decisionHead }: HubParts,
  { since, minimum }: { readonly since: string; readonly minimum: number },
): Promise<SuggestionsAnswer> {
  const rules = handlers.inForce();
  const protectedNames =
    (await parseConfig(readStarterRules(SELF_PROTECTION), SELF_PROTECTION)).config?.rules.map(({ name }) => name) ?? [];
  const request = {
    ...{ store: decisionHead.path, rules, protectedNames, minimum, maxEvents: MAX_EVENTS },
    since: readTime("since", since, Date.now()) ?? 0,
  };
  const key = JSON.stringify([decisionHead.path, since, minimum, rules]);
  const known = searching.get(key);
  if (known !== undefined) return known;
  // Several pages may ask at once, and the first may be closed meanwhile.
  const search = inTurn<SuggestionsAnswer>(
    (run) => run(AbortSignal.timeout(LIMIT_MS)),
    (signal) => suggestInThread(request, signal),
  );
  searching.set(key, search);
  return search.finally(() => searching.delete(key));
}

const searching = new Map<string, Promise<SuggestionsAnswer>>();

function namedRule({ handlers }: HubParts, name: string | undefined): readonly Rule[] {
  if (name === undefined) throw badRequest('The body needs "rules" or "name".', "Send the rules to try, or the name of a rule in force.");
  const rule = handlers.rule(name);
  // A rule that answers says nothing without the rule that asks.
  const asking = rule?.answers === undefined ? undefined : handlers.rule(rule.answers);
  if (rule !== undefined) return asking === undefined ? [rule] : [rule, asking];
  throw new Refused(404, "HL_NOT_FOUND", `There is no rule "${name.slice(0, 128)}" in the hub.`, {
    fix: "hookline rules list shows the rules.",
  });
}
