import { json } from "../http/answer.js";
import type { SessionsAnswer } from "../protocol.js";
import { readCount } from "./read-query.js";
import type { Route } from "./route.js";
import { list, object, sessionRow } from "./schemas.js";

const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 100;

export const sessions: Route = {
  method: "GET",
  path: "/api/sessions",
  scope: "read",
  summary: "Sessions, those with the latest events first",
  query: {
    limit: { description: "How many at most.", schema: { type: "integer", minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT } },
  },
  response: { description: "The sessions.", schema: object({ sessions: list(sessionRow) }) },
  async handle({ parts, query }) {
    const limit = readCount(query, "limit", { min: 1, max: MAX_LIMIT }) ?? DEFAULT_LIMIT;
    return json({ sessions: await parts.store.sessions(limit) } satisfies SessionsAnswer);
  },
};
