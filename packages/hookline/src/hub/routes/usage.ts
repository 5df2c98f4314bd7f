import { z } from "zod";
import { json } from "../http/answer.js";
import { badRequest } from "../http/refused.js";
import type { UsageAnswer } from "../protocol.js";
import { MAX_RANGE_MS, readUsage } from "../usage/read-usage.js";
import { readTime } from "./filter-query.js";
import { route } from "./route.js";
import { contract, count } from "./schemas.js";

const DAY_MS = 86_400_000;
const tokens = z.number().min(0).optional();

const sums = {
  requests: count.describe("How many events reported usage."),
  inputTokens: tokens.describe("Without the next two kinds. Missing if no event reported it, like all fields with a `?`."),
  cacheReadTokens: tokens,
  cacheWriteTokens: tokens,
  outputTokens: tokens,
  reasoningTokens: tokens.describe("A part of `outputTokens`."),
  costUsd: z.number().min(0).optional().describe("In US dollars, as far as it is known."),
  estimatedUsd: z.number().min(0).optional().describe("The part of `costUsd` that comes from the prices of models, not from the agent."),
  unpricedTokens: z.number().min(0).describe("Tokens of models without a known price. `costUsd` does not include them."),
};
const usageSums = z.object(sums).register(contract, { id: "UsageSums" });
const usageRow = z
  .object({
    key: z.string().describe("The day, agent, model, project folder or session; empty if it is not known."),
    agent: z.string().optional().describe("Of a session."),
    ...sums,
  })
  .register(contract, { id: "UsageRow" });

export const usage = route({
  method: "GET",
  path: "/api/usage",
  scope: "read",
  access: "read",
  summary: "Adds up tokens and money by day, agent, model, project or session",
  query: z.strictObject({
    by: z.enum(["day", "agent", "model", "project", "session"]).default("day"),
    since: z.string().exactOptional().describe("From this quarter of an hour on, written as for `GET /api/events`. Default: `7d`."),
    until: z.string().exactOptional().describe("Before this quarter of an hour. Default: now."),
  }),
  answer: {
    description: "The sums. Days are those of the hub's time zone.",
    body: z
      .object({
        since: count.describe("Milliseconds since 1970."),
        until: count.describe("Milliseconds since 1970."),
        by: z.enum(["day", "agent", "model", "project", "session"]),
        total: usageSums,
        rows: z.array(usageRow).describe("Days in their order, all others by cost."),
        isCut: z.boolean().describe("There are more than 1,000 rows."),
        silent: z
          .array(z.object({ app: z.string(), sessions: count }))
          .describe("Active sessions that have reported no usage, by agent. What they used is not known."),
        pricesChecked: z
          .object({ oldest: z.string(), newest: z.string() })
          .describe("Between which days the prices of the table were compared with the vendors' pages."),
      })
      .register(contract, { id: "UsageAnswer" }),
  },
  async handle({ parts, query: { by, ...range } }) {
    const now = Date.now();
    const until = readTime("until", range.until, now) ?? now;
    const since = readTime("since", range.since, now) ?? until - 7 * DAY_MS;
    if (since >= until) throw badRequest('"since" must be before "until".');
    if (until - since > MAX_RANGE_MS) throw badRequest("The range must not be longer than 400 days.");
    return json((await readUsage(parts, { since, until, by })) satisfies UsageAnswer);
  },
});
