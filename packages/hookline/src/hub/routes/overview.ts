import { json } from "../http/answer.js";
import { HUB_APP } from "../ingest/own-source.js";
import { minutesParameter, readMinutes } from "./minutes.js";
import type { Route } from "./route.js";
import { count, list, object, string } from "./schemas.js";

const MINUTE_MS = 60_000;
const MAX_STEPS = 120;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 360, 720];
const counts = list(count);
const times = list({ type: ["number", "null"] });

export const overview: Route = {
  method: "GET",
  path: "/api/overview",
  scope: "read",
  summary: "What went on lately, by the minute",
  query: { minutes: minutesParameter },
  response: {
    description: "A number per step; and the tools, guards and agents with the most.",
    schema: object({
      from: count,
      stepMs: count,
      series: object({ events: counts, denied: counts, asked: counts }),
      latency: object({ p50Ms: times, p95Ms: times, p99Ms: times }),
      topTools: list(object({ tool: string, count, denied: count })),
      topRules: list(object({ rule: string, denied: count, asked: count })),
      agents: list(object({ app: string, lastAt: count, events: count })),
    }),
  },
  async handle({ parts, query }) {
    const minutes = readMinutes(query);
    const stepMinutes = STEPS.find((step) => minutes / step <= MAX_STEPS) ?? (STEPS.at(-1) as number);
    const steps = Math.ceil(minutes / stepMinutes);
    // Steps begin where the clock's do, so that a step's number only grows; the last one is the one that runs.
    const last = Math.floor(Date.now() / MINUTE_MS / stepMinutes) * stepMinutes;
    const answer = await parts.store.overview({ fromMinute: last - (steps - 1) * stepMinutes, stepMinutes, steps });
    return json({ ...answer, agents: answer.agents.filter(({ app }) => app !== HUB_APP) });
  },
};
