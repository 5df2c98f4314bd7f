import { JSON_TYPE } from "../http/answer.js";
import { Refused } from "../http/refused.js";
import { withPlace } from "./events.js";
import type { Route } from "./route.js";
import { object, placedEvent } from "./schemas.js";

export const event: Route = {
  method: "GET",
  path: "/api/events/:id",
  scope: "read",
  summary: "One event by its id",
  response: {
    description: "The event; `decision.trail` says which handlers looked at it.",
    schema: object({ event: placedEvent }),
  },
  async handle({ parts, param }) {
    const id = param("id");
    const found = await parts.store.get(id);
    if (found !== undefined) return { status: 200, type: JSON_TYPE, text: `{"event":${withPlace(found)}}` };
    const fix = "It may have been let go for its age, or for want of room. What is stored: Live on the page, or hookline tail --no-follow.";
    throw new Refused(404, "HL_NOT_FOUND", `There is no event with the id "${id.slice(0, 128)}".`, { fix });
  },
};
