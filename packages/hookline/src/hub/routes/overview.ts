import { z } from "zod";
import { json } from "../http/answer.js";
import { HUB_APP } from "../ingest/own-source.js";
import type { HubParts } from "../parts.js";
import type { OverviewAnswer } from "../protocol.js";
import type { StoredOverview } from "../store/overview.js";
import { route } from "./route.js";
import { contract, count, milliseconds, minutes } from "./schemas.js";

const MINUTE_MS = 60_000;
const MAX_STEPS = 120;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 360, 720];
const series = z.array(count);
const latencies = z.array(milliseconds.nullable());

export const overview = route({
  method: "GET",
  path: "/api/overview",
  scope: "read",
  access: "read",
  summary: "Counts recent events over time, and by tool, guard and agent",
  query: z.strictObject({ minutes }),
  answer: {
    description: "The counts.",
    body: z
      .object({
        from: count.describe("The start of the first step, in milliseconds since 1970."),
        stepMs: count,
        series: z.object({ events: series, denied: series, asked: series }).describe("One number per step."),
        latency: z
          .object({ p50Ms: latencies, p95Ms: latencies, p99Ms: latencies })
          .describe("How long gates took, per step; null in a step without a decision."),
        topTools: z.array(z.object({ tool: z.string(), count, denied: count })),
        topRules: z.array(z.object({ rule: z.string(), denied: count, asked: count })).describe("By guard."),
        agents: z
          .array(
            z.object({
              app: z.string(),
              lastAt: count.describe("The last event or, if there is none, when it connected."),
              events: count,
              online: count.describe("How many of its processes run now: those that are connected, and those of an attached agent."),
            }),
          )
          .describe("Agents with events in this time or with a running process, without the hub itself."),
      })
      .register(contract, { id: "OverviewAnswer" }),
  },
  async handle({ parts, query }) {
    const stepMinutes = STEPS.find((step) => query.minutes / step <= MAX_STEPS) ?? (STEPS.at(-1) as number);
    const steps = Math.ceil(query.minutes / stepMinutes);
    // Steps are aligned with the clock, so the count of a step never decreases. The last step is still running.
    const last = Math.floor(Date.now() / MINUTE_MS / stepMinutes) * stepMinutes;
    const answer = await parts.store.overview({ fromMinute: last - (steps - 1) * stepMinutes, stepMinutes, steps });
    return json({ ...answer, agents: withPresence(answer.agents, parts) } satisfies OverviewAnswer);
  },
});

/** Whether an agent is online is known from its connection or its process, not guessed from its events. */
function withPresence(agents: StoredOverview["agents"], { sources, agentProcesses }: HubParts): OverviewAnswer["agents"] {
  const online = new Map<string, { count: number; at: number }>();
  const add = (app: string, at: number): void => {
    const known = online.get(app);
    online.set(app, { count: (known?.count ?? 0) + 1, at: Math.max(known?.at ?? 0, at) });
  };
  for (const { source, connectedAt } of sources.list()) add(source.app, Date.parse(connectedAt));
  for (const { agent } of agentProcesses.list()) add(agent, 0);
  const silent = [...online].filter(([app]) => !agents.some((agent) => agent.app === app));
  return [...agents, ...silent.map(([app, { at }]) => ({ app, lastAt: at, events: 0 }))]
    .filter(({ app }) => app !== HUB_APP)
    .map((agent) => ({ ...agent, online: online.get(agent.app)?.count ?? 0 }));
}
