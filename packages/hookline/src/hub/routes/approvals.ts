import { json } from "../http/answer.js";
import type { ApprovalsAnswer } from "../protocol.js";
import type { Route } from "./route.js";
import { approvalRow, list, object } from "./schemas.js";

export const approvals: Route = {
  method: "GET",
  path: "/api/approvals",
  scope: "read",
  summary: "Calls that wait for a person",
  response: { description: "The oldest first.", schema: object({ approvals: list(approvalRow) }) },
  handle: ({ parts }) => json({ approvals: parts.approvals.list() } satisfies ApprovalsAnswer),
};
