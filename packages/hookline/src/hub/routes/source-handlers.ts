import { json } from "../http/answer.js";
import { Refused } from "../http/refused.js";
import type { Route } from "./route.js";
import { handlerRow, list, object } from "./schemas.js";

export const sourceHandlers: Route = {
  method: "GET",
  path: "/api/sources/:instance/handlers",
  scope: "read",
  summary: "What is registered in a process on the line, as it says itself",
  response: { description: "Its handlers, with their counters.", schema: object({ handlers: list(handlerRow) }) },
  async handle({ parts, param }) {
    const handlers = await parts.sources.handlersOf(param("instance"));
    if (handlers !== undefined) return json({ handlers });
    throw new Refused(404, "HL_NOT_FOUND", "No process of this instance is on the line, or it does not say.", {
      fix: "GET /api/sources lists them. One with an older @hookline/core does not tell of its handlers.",
    });
  },
};
