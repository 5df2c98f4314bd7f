import { json } from "../http/answer.js";
import { Refused } from "../http/refused.js";
import { JSON_MEDIA } from "../http/request-body.js";
import type { Route } from "./route.js";
import { boolean, object } from "./schemas.js";

export const demo: Route = {
  method: "POST",
  path: "/api/demo",
  scope: "approve",
  summary: "Starts the scripted agent, to have something to look at",
  body: { [JSON_MEDIA]: { type: "object" } },
  response: { status: 202, description: "It runs for some seconds; its tools run nothing.", schema: object({ started: boolean }) },
  handle({ parts }) {
    if (parts.startDemo()) return json({ started: true }, 202);
    throw new Refused(409, "HL_TOO_MANY", "A demo is running already.", { fix: "Wait until it is over: it takes some seconds." });
  },
};
