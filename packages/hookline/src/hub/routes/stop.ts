import { json } from "../http/answer.js";
import { JSON_MEDIA } from "../http/request-body.js";
import type { Route } from "./route.js";
import { boolean, object } from "./schemas.js";

export const stop: Route = {
  method: "POST",
  path: "/api/stop",
  scope: "approve",
  summary: "Ends the hub, as a signal would",
  body: { [JSON_MEDIA]: { type: "object" } },
  response: { status: 202, description: "It ends when this answer is out.", schema: object({ stopping: boolean }) },
  handle({ parts, outgoing }) {
    outgoing.once("close", () => parts.stop());
    return json({ stopping: true }, 202);
  },
};
