import { json } from "../http/answer.js";
import type { SinksAnswer } from "../protocol.js";
import type { Route } from "./route.js";
import { list, object, sinkRow } from "./schemas.js";

export const sinks: Route = {
  method: "GET",
  path: "/api/sinks",
  scope: "read",
  summary: "The hub's sinks and how they do",
  response: { description: "The sinks.", schema: object({ sinks: list(sinkRow) }) },
  handle: ({ parts }) => json({ sinks: parts.sinks.list() } satisfies SinksAnswer),
};
