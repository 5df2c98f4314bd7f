import { json } from "../http/answer.js";
import { Refused } from "../http/refused.js";
import { JSON_MEDIA } from "../http/request-body.js";
import type { AlwaysAnswer } from "../protocol.js";
import type { Route } from "./route.js";
import { boolean, count, list, object, string } from "./schemas.js";

const row = object({ hash: string, event: string, tool: string, by: string, input: string, "cwd?": string, allowedBy: string, at: count });

export const alwaysAllowed: Route = {
  method: "GET",
  path: "/api/approvals/always",
  scope: "read",
  summary: "Calls that a person has allowed for good",
  response: { description: "The oldest first.", schema: object({ always: list(row) }) },
  handle: ({ parts }) => json({ always: parts.alwaysAllow.list() } satisfies AlwaysAnswer),
};

export const forgetAllowed: Route = {
  method: "POST",
  path: "/api/approvals/always/:hash/forget",
  scope: "approve",
  summary: "Has a person be asked again",
  body: { [JSON_MEDIA]: { type: "object" } },
  response: { description: "The next such call waits for a person.", schema: object({ forgotten: boolean }) },
  handle({ parts, param }) {
    if (parts.alwaysAllow.forget(param("hash"))) return json({ forgotten: true });
    throw new Refused(404, "HL_NOT_FOUND", "No call with this hash is allowed for good.", { fix: "GET /api/approvals/always lists them." });
  },
};
