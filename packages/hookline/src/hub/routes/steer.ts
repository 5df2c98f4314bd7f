import { json } from "../http/answer.js";
import { badRequest } from "../http/refused.js";
import { JSON_MEDIA } from "../http/request-body.js";
import type { Steer } from "../steering/operator-words.js";
import { known } from "./known-errors.js";
import { readJsonBody } from "./read-json-body.js";
import type { Call, Route } from "./route.js";
import { boolean, count, list, object, string } from "./schemas.js";

/** A text of 8,000 characters in JSON, each of them escaped, and what is around it. */
const MAX_BYTES = 128 * 1_024;
const author = { "by?": string, "via?": { enum: ["cli"] } };
const response: Route["response"] = {
  description: "`sent`: to its process, which tells the model at its next boundary. `waiting`: for the agent's next event.",
  schema: object({ id: string, status: { enum: ["sent", "waiting"] }, agent: string }),
};
const statuses = { HL_NOT_FOUND: 404, HL_NOT_LIVE: 409, HL_BAD_REQUEST: 400, HL_BAD_REMINDER: 400 };

export const injectMessage: Route = {
  method: "POST",
  path: "/api/sessions/:id/inject",
  scope: "approve",
  summary: "Puts a message of the operator's into a live session",
  body: { [JSON_MEDIA]: object({ text: string, "interrupt?": boolean, ...author }) },
  response,
  async handle(call) {
    const { text, interrupt = false, by, via, ...unknown } = await readJsonBody(call, MAX_BYTES);
    const [stranger] = Object.keys(unknown);
    if (stranger !== undefined) throw badRequest(`A message has no field "${stranger}".`, "It has text, interrupt and by.");
    if (typeof interrupt !== "boolean") throw badRequest('"interrupt" must be true or false.');
    return steer(call, { kind: "inject", text: readText(text, "text"), interrupt, ...readAuthor(call, by, via) });
  },
};

export const remindSession: Route = {
  method: "POST",
  path: "/api/sessions/:id/remind",
  scope: "approve",
  summary: "Puts a reminder of the operator's into a live session",
  body: {
    [JSON_MEDIA]: object({
      body: string,
      "tags?": list(string),
      "dedupeKey?": string,
      "ttlTurns?": count,
      "preserveOnCompact?": boolean,
      "propagate?": { enum: ["all", "session", "none"] },
      "roleHint?": { enum: ["system", "developer", "user_block", "ephemeral_cache"] },
      ...author,
    }),
  },
  response,
  async handle(call) {
    const { body, by, via, ...reminder } = await readJsonBody(call, MAX_BYTES);
    return steer(call, { kind: "remind", text: readText(body, "body"), reminder, ...readAuthor(call, by, via) });
  },
};

async function steer({ parts, param }: Call, order: Steer) {
  return json(await known(statuses, parts.steering.steer(param("id"), order)));
}

function readText(value: unknown, field: string): string {
  if (typeof value === "string") return value;
  throw badRequest(`"${field}" must be text.`);
}

/** A dashboard's login is known as such; of the operator's token only its holder knows which program uses it. */
function readAuthor({ holder }: Call, by: unknown = "a person", via: unknown = "api"): Pick<Steer, "by" | "via"> {
  if (via !== "cli" && via !== "api") throw badRequest('"via" must be "cli", or missing.');
  return { by: readText(by, "by"), via: holder.kind === "dashboard" ? "dashboard" : via };
}
