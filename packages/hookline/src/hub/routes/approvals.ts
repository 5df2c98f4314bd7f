import { hideSecrets } from "../approvals/hide-secrets.js";
import { json } from "../http/answer.js";
import type { ApprovalsAnswer, PendingApproval } from "../protocol.js";
import type { Route } from "./route.js";
import { approvalRow, list, object } from "./schemas.js";

export const approvals: Route = {
  method: "GET",
  path: "/api/approvals",
  scope: "read",
  summary: "Calls that wait for a person",
  response: { description: "The oldest first.", schema: object({ approvals: list(approvalRow) }) },
  // Who answers must see what will run, secrets and all; who only reads sees what is stored of other events.
  handle: ({ parts, holder: { scopes } }) => {
    const rows = parts.approvals.list();
    return json({ approvals: scopes.has("approve") ? rows : rows.map(withoutSecrets) } satisfies ApprovalsAnswer);
  },
};

function withoutSecrets(row: PendingApproval): PendingApproval {
  return { ...row, payload: hideSecrets(row.payload), ...(row.asked !== undefined && { asked: hideSecrets(row.asked) }) };
}
