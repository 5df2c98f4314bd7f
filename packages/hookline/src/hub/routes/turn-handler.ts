import { json } from "../http/answer.js";
import { badRequest } from "../http/refused.js";
import { JSON_MEDIA } from "../http/request-body.js";
import type { SwitchAnswer } from "../protocol.js";
import { within } from "./deadline.js";
import { known } from "./known-errors.js";
import { readJsonBody } from "./read-json-body.js";
import type { Route } from "./route.js";
import { anything, boolean, list, object, string } from "./schemas.js";

export const turnHandler: Route = {
  method: "POST",
  path: "/api/handlers/:owner",
  scope: "approve",
  summary: "Switches a hook or a rule of the user's on or off, in its file",
  body: { [JSON_MEDIA]: object({ enabled: boolean, "name?": string }) },
  response: { description: "It is, and the hub has taken it up.", schema: object({ enabled: boolean, file: string }) },
  async handle(call) {
    const { enabled, name } = await readJsonBody(call);
    if (typeof enabled !== "boolean") throw badRequest('"enabled" must be true or false.');
    const which = { owner: call.param("owner"), name: readName(name) };
    const file = await known(statuses, call.parts.handlers.turn(which, enabled));
    return json({ enabled, file } satisfies SwitchAnswer);
  },
};

/** How long a trial may take, whatever the hook's own limit is: a person waits for it. */
const LIMIT_MS = 60_000;

export const tryHandler: Route = {
  method: "POST",
  path: "/api/handlers/test",
  scope: "approve",
  summary: "Runs a hook or a rule on a sample of an event",
  body: { [JSON_MEDIA]: object({ owner: string, "name?": string, "event?": string }) },
  response: {
    description: "What it said, and how long it took. Nothing of it is stored.",
    schema: object({
      event: string,
      ms: { type: "number" },
      verdict: string,
      wasAsked: boolean,
      "reason?": string,
      "failure?": string,
      "injections?": list(string),
      "reminders?": list(string),
      "payload?": anything,
      "value?": anything,
      "again?": string,
      errors: list(string),
      "notes?": list(string),
    }),
  },
  async handle(call) {
    const { owner, name, event } = await readJsonBody(call);
    if (typeof owner !== "string") throw badRequest('"owner" must be that of a handler.', "GET /api/handlers has it.");
    if (event !== undefined && typeof event !== "string") throw badRequest('"event" must be the name of an event.');
    const which = { owner, name: readName(name) };
    return json(
      await known(
        statuses,
        within(LIMIT_MS, call.outgoing, (signal) => call.parts.handlers.try(which, event, signal)),
      ),
    );
  },
};

function readName(name: unknown): string | undefined {
  if (name === undefined || typeof name === "string") return name;
  throw badRequest('"name" must be that of a rule.');
}

const statuses: { readonly [code: string]: number } = {
  HL_NOT_FOUND: 404,
  HL_CONFIG: 409,
  HL_UNKNOWN_EVENT: 400,
  HL_TIMEOUT: 503,
  HL_CANCELLED: 503,
};
