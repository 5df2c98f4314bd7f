import { json } from "../http/answer.js";
import { badRequest } from "../http/refused.js";
import { JSON_MEDIA } from "../http/request-body.js";
import { byeFrame } from "../live/sse-frames.js";
import type { RotateAnswer } from "../protocol.js";
import { readJsonBody } from "./read-json-body.js";
import type { Route } from "./route.js";
import { boolean, list, object, string } from "./schemas.js";

export const rotateToken: Route = {
  method: "POST",
  path: "/api/token/rotate",
  scope: "approve",
  summary: "Replaces every key: of forwarders, of the operator, of pages and of attached agents; with `only`, those of attached agents",
  body: { [JSON_MEDIA]: object({ "only?": { enum: ["agents"] } }) },
  response: {
    description: "The new keys are where those who need them look. `left`: what has to be done by hand.",
    schema: object({ rotated: boolean, left: list(string) }),
  },
  async handle(call) {
    const { only } = await readJsonBody(call);
    if (only !== undefined && only !== "agents") throw badRequest('"only" must be "agents".');
    const left = call.parts.rotateKeys(only ?? "all");
    // Who watches with an old token has to show the new one.
    if (only === undefined) call.desk.streams.end(byeFrame({ reason: "token_rotated" }));
    return json({ rotated: true, left } satisfies RotateAnswer);
  },
};
