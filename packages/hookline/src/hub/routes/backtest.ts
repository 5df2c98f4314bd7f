import { HookError } from "@hookline/core";
import { z } from "zod";
import type { Rule } from "../../rules/rule.js";
import { SAID } from "../backtest/recorded-call.js";
import { backtestInThread } from "../backtest/run-in-thread.js";
import { json } from "../http/answer.js";
import { badRequest, Refused, refusedWith } from "../http/refused.js";
import type { HubParts } from "../parts.js";
import type { BacktestAnswer } from "../protocol.js";
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
    if (running >= MAX_RUNNING)
      throw new Refused(429, "HL_TOO_MANY", "Two backtests are running already.", { headers: { "Retry-After": "1" } });
    const rules = body.rules ?? namedRule(parts, body.name);
    running++;
    const request = { store: parts.decisionHead.path, rules, since: readTime("since", body.since, Date.now()) ?? 0, maxEvents: body.limit };
    try {
      const answer = await within(LIMIT_MS, outgoing, (signal) => backtestInThread(request, signal));
      return json(answer satisfies BacktestAnswer);
    } catch (error) {
      throw error instanceof HookError ? refusedWith(error.code === "HL_CONFIG" ? 400 : 503, error) : error;
    } finally {
      running--;
    }
  },
});

function namedRule({ handlers }: HubParts, name: string | undefined): readonly Rule[] {
  if (name === undefined) throw badRequest('The body needs "rules" or "name".', "Send the rules to try, or the name of a rule in force.");
  const rule = handlers.rule(name);
  if (rule !== undefined) return [rule];
  throw new Refused(404, "HL_NOT_FOUND", `There is no rule "${name.slice(0, 128)}" in the hub.`, {
    fix: "hookline rules list shows the rules.",
  });
}
