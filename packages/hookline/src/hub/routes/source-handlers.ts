import { withWindow } from "../handlers/handler-window.js";
import { json } from "../http/answer.js";
import { Refused } from "../http/refused.js";
import { minutesParameter, readMinutes } from "./minutes.js";
import type { Route } from "./route.js";
import { handlerRow, list, object } from "./schemas.js";

export const sourceHandlers: Route = {
  method: "GET",
  path: "/api/sources/:instance/handlers",
  scope: "read",
  summary: "What is registered in a process on the line, as it says itself",
  query: { minutes: minutesParameter },
  response: { description: "Its handlers, with their counters.", schema: object({ handlers: list(handlerRow) }) },
  async handle({ parts: { sources, store }, param, query }) {
    const minutes = readMinutes(query);
    const found = sources.list().find(({ source }) => source.instance === param("instance"));
    const rows = await sources.handlersOf(param("instance"));
    if (found !== undefined && rows !== undefined)
      return json({ handlers: await withWindow(store, rows, { app: found.source.app, minutes }) });
    throw new Refused(404, "HL_NOT_FOUND", "No process of this instance is on the line, or it does not say.", {
      fix: "GET /api/sources lists them. One with an older @hookline/core does not tell of its handlers.",
    });
  },
};
