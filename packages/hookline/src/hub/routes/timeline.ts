import { json } from "../http/answer.js";
import { readTimeline } from "../timeline/read-timeline.js";
import { readCount } from "./read-query.js";
import type { Route } from "./route.js";
import { boolean, count, list, object, string, verdict } from "./schemas.js";

const MAX_LIMIT = 10_000;

const span = object({
  id: string,
  "parentId?": string,
  kind: { enum: ["turn", "tool", "worker", "gate", "other"] },
  name: string,
  startAt: count,
  "endAt?": count,
  "verdict?": verdict,
  "status?": string,
  "gateMs?": { type: "number" },
  "waitMs?": { type: "number" },
  "detail?": string,
  eventId: string,
});

export const timeline: Route = {
  method: "GET",
  path: "/api/sessions/:id/timeline",
  scope: "read",
  summary: "A session as spans: turns, tool calls, workers and what is in them",
  query: { limit: { description: "How many at most.", schema: { type: "integer", minimum: 1, maximum: MAX_LIMIT, default: MAX_LIMIT } } },
  response: {
    description: "In order of their starts. `isCut`: there are more.",
    schema: object({ session: string, spans: list(span), isCut: boolean }),
  },
  async handle({ parts, query, param }) {
    const limit = readCount(query, "limit", { min: 1, max: MAX_LIMIT }) ?? MAX_LIMIT;
    return json(await readTimeline(parts.store, param("id"), limit));
  },
};
