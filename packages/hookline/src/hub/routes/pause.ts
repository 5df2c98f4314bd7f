import { DEFAULT_PAUSE_MS, MAX_PAUSE_MS } from "../gates/pause.js";
import { json } from "../http/answer.js";
import { badRequest } from "../http/refused.js";
import { JSON_MEDIA } from "../http/request-body.js";
import type { PauseAnswer, ResumeAnswer } from "../protocol.js";
import { readJsonBody } from "./read-json-body.js";
import type { Route } from "./route.js";
import { boolean, guardPause, object, string } from "./schemas.js";

const MAX_TEXT = 500;
const PERSON = "a person";
const response = { description: "`paused` while no guard of the hub is asked.", schema: object({ "paused?": guardPause }) };

export const paused: Route = {
  method: "GET",
  path: "/api/pause",
  scope: "read",
  summary: "Whether the hub's guards are paused, by whom and until when",
  response,
  handle({ parts }) {
    const row = parts.pause.current();
    return json({ ...(row !== undefined && { paused: row }) } satisfies PauseAnswer);
  },
};

export const pause: Route = {
  method: "POST",
  path: "/api/pause",
  scope: "approve",
  summary: "Pauses the hub's guards for a while: every call passes and is recorded as paused",
  body: {
    [JSON_MEDIA]: {
      ...object({
        "forMs?": { type: "integer", minimum: 1, maximum: MAX_PAUSE_MS, default: DEFAULT_PAUSE_MS },
        "reason?": string,
        "by?": string,
      }),
      additionalProperties: false,
    },
  },
  response,
  async handle(call) {
    const given = await readJsonBody(call);
    const { forMs = DEFAULT_PAUSE_MS, reason } = given;
    checkFields(given, ["forMs", "reason", "by"]);
    if (!Number.isInteger(forMs) || Number(forMs) < 1 || Number(forMs) > MAX_PAUSE_MS)
      throw badRequest(`"forMs" must be a whole number of milliseconds from 1 to ${MAX_PAUSE_MS}, which is 8 hours.`);
    const row = call.parts.pause.begin({ forMs: Number(forMs), by: readBy(given), reason: readText("reason", reason) });
    return json({ paused: row } satisfies PauseAnswer);
  },
};

export const resume: Route = {
  method: "POST",
  path: "/api/resume",
  scope: "approve",
  summary: "Ends a pause: the hub's guards are asked again",
  body: { [JSON_MEDIA]: { ...object({ "by?": string }), additionalProperties: false } },
  response: { description: "`ended` is false where no pause was on.", schema: object({ ended: boolean }) },
  async handle(call) {
    const given = await readJsonBody(call);
    checkFields(given, ["by"]);
    return json({ ended: call.parts.pause.end(readBy(given)) } satisfies ResumeAnswer);
  },
};

type Given = { readonly [field: string]: unknown };

/** A slip in "forMs" must not be taken for the default. */
function checkFields(given: Given, known: readonly string[]): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) throw badRequest(`"${unknown.slice(0, 64)}" is not known here.`, `Known: ${known.join(", ")}.`);
}

function readBy({ by }: Given): string {
  return readText("by", by) ?? PERSON;
}

function readText(field: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && value.trim() !== "" && value.length <= MAX_TEXT) return value;
  throw badRequest(`"${field}" must be text of at most ${MAX_TEXT} characters that is not empty.`);
}
