import { HookError } from "@hookline/core";
import type { ApprovalAnswer } from "../approvals/approvals.js";
import { json } from "../http/answer.js";
import { badRequest, refusedWith } from "../http/refused.js";
import { JSON_MEDIA, readBody, readObject, readText } from "../http/request-body.js";
import type { Route } from "./route.js";
import { anything, boolean, object, string } from "./schemas.js";

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_REASON = 4_000;

export const answerApproval: Route = {
  method: "POST",
  path: "/api/approvals/:id",
  scope: "approve",
  summary: "Answers a call that waits for a person",
  body: {
    [JSON_MEDIA]: object({
      verdict: { enum: ["allow", "deny"] },
      hash: string,
      "reason?": string,
      "by?": string,
      "payload?": anything,
      "always?": boolean,
    }),
  },
  response: { description: "The first answer counts; what waits must be what was shown (`hash`).", schema: object({ verdict: string }) },
  async handle({ parts, incoming, param }) {
    const answer = readAnswer(readObject(readText(await readBody(incoming, MAX_BYTES)), "The body"));
    try {
      parts.approvals.answer(param("id"), answer);
      return json({ verdict: answer.verdict });
    } catch (error) {
      if (!(error instanceof HookError)) throw error;
      throw refusedWith(error.code === "HL_BAD_REQUEST" ? 400 : 409, error);
    }
  },
};

type Unchecked = { readonly [Field in keyof ApprovalAnswer]?: unknown };

function readAnswer({ verdict, hash, reason, by, payload, always = false }: Unchecked): ApprovalAnswer {
  if (verdict !== "allow" && verdict !== "deny") throw badRequest('"verdict" must be "allow" or "deny".');
  if (typeof hash !== "string") throw badRequest('"hash" must be that of what was shown.', "GET /api/approvals has it.");
  for (const [name, text] of Object.entries({ reason, by }))
    if (text !== undefined && (typeof text !== "string" || text.length > MAX_REASON))
      throw badRequest(`"${name}" must be text of at most ${MAX_REASON} characters.`);
  if (payload !== undefined && verdict === "deny") throw badRequest('"payload" is for "allow": what is denied does not run.');
  if (typeof always !== "boolean") throw badRequest('"always" must be true or false.');
  if (always && (verdict === "deny" || payload !== undefined))
    throw badRequest('"always" is for "allow", and for what was shown: not for something else that shall run.');
  return {
    verdict,
    hash,
    always,
    ...(reason !== undefined && { reason: reason as string }),
    ...(by !== undefined && { by: by as string }),
    ...(payload !== undefined && { payload }),
  };
}
