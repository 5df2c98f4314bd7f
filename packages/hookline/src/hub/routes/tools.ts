import { json } from "../http/answer.js";
import type { ToolsAnswer } from "../protocol.js";
import type { Route } from "./route.js";
import { list, object, string } from "./schemas.js";

export const tools: Route = {
  method: "GET",
  path: "/api/tools",
  scope: "read",
  summary: "The tools that there are, as far as the hub knows",
  response: {
    description: "The agents that are attached, and the tools that calls are stored of.",
    schema: object({ attached: list(string), seen: list(string) }),
  },
  async handle({ parts }) {
    const { attached, seen = [] } = await parts.knownTools();
    return json({ attached: attached.map(({ id }) => id), seen } satisfies ToolsAnswer);
  },
};
