import { json } from "../http/answer.js";
import type { FaultsAnswer } from "../protocol.js";
import type { Route } from "./route.js";
import { fault, list, object } from "./schemas.js";

export const faults: Route = {
  method: "GET",
  path: "/api/faults",
  scope: "read",
  summary: "What stands in a file and is not in force: rules, hooks and tables that are broken or were changed since consent",
  response: {
    description: "Each with its place, what is wrong, what counts meanwhile, and the command that shows it.",
    schema: object({ faults: list(fault) }),
  },
  handle: ({ parts }) => json({ faults: parts.faults() } satisfies FaultsAnswer),
};
