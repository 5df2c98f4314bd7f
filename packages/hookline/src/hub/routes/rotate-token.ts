import { json } from "../http/answer.js";
import { JSON_MEDIA } from "../http/media-type.js";
import type { Route } from "./route.js";
import { boolean, object } from "./schemas.js";

export const rotateToken: Route = {
  method: "POST",
  path: "/api/token/rotate",
  scope: "approve",
  summary: "Replaces the token in hub.json; attached processes come back with the new one",
  body: { [JSON_MEDIA]: { type: "object" } },
  response: { description: "The new token stands in hub.json.", schema: object({ rotated: boolean }) },
  handle({ parts }) {
    parts.rotateToken();
    return json({ rotated: true });
  },
};
