import { json } from "../http/answer.js";
import type { SourcesAnswer } from "../protocol.js";
import type { Route } from "./route.js";
import { list, object, sourceRow } from "./schemas.js";

export const sources: Route = {
  method: "GET",
  path: "/api/sources",
  scope: "read",
  summary: "The processes on the line, with their own counters",
  response: { description: "The processes.", schema: object({ sources: list(sourceRow) }) },
  handle: ({ parts }) => json({ sources: parts.sources.list() } satisfies SourcesAnswer),
};
