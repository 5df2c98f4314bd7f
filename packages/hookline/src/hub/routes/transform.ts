import { findEvent, type TransformResult } from "@hookline/core";
import { withheldValue } from "@hookline/core/internal";
import { inertDecision } from "../decisions/inert-decision.js";
import { type Answer, json } from "../http/answer.js";
import { badRequest } from "../http/refused.js";
import { JSON_MEDIA, readBody, readObject, readText } from "../http/request-body.js";
import type { Gates, TransformRequest } from "../parts.js";
import type { TransformAnswer } from "../protocol.js";
import { signalled } from "./deadline.js";
import { readOfKind, readSession, readSource, readTimeout, source, timeoutMs } from "./decide.js";
import type { Route } from "./route.js";
import { anything, boolean, list, object, session as sessionSchema, string, trail } from "./schemas.js";

/** What a tool gives may be longer than what it is called with. */
const MAX_BYTES = 4 * 1024 * 1024;
const FIELDS = ["event", "value", "payload", "session", "timeoutMs", "source"];
const body = object({
  event: string,
  value: anything,
  "payload?": anything,
  "session?": sessionSchema,
  "timeoutMs?": timeoutMs,
  "source?": source,
});

export const transform: Route = {
  method: "POST",
  path: "/api/transform",
  scope: "decide",
  summary: "Passes a value through the hub's handlers of a transform event, such as a tool's output",
  body: { [JSON_MEDIA]: { ...body, additionalProperties: false } },
  response: {
    description: "The value to go on with. Where a closed handler fails or does not answer in time, it is `[withheld: …]`.",
    schema: object({
      value: anything,
      isReplaced: boolean,
      injections: list(string),
      reminders: list(object({ spec: anything, by: string })),
      trail,
      "cause?": string,
    }),
  },
  async handle({ parts: { gates }, incoming, outgoing }) {
    const { request, limitMs } = readRequest(readObject(readText(await readBody(incoming, MAX_BYTES)), "The body"));
    const result = await signalled(limitMs, outgoing, (signal) => orLate(gates.transform(request), signal)).catch(() => undefined);
    return result === undefined ? json(unanswered(request, gates)) : answerWith(request, result);
  },
};

function readRequest(given: { readonly [field: string]: unknown }): { readonly request: TransformRequest; readonly limitMs: number } {
  const unknown = Object.keys(given).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) throw badRequest(`"${unknown.slice(0, 64)}" is not known here.`, `Known: ${FIELDS.join(", ")}.`);
  const { event, value, payload = {}, session, source: from } = given;
  if (!Object.hasOwn(given, "value")) throw badRequest('"value" is missing.');
  const request = {
    event: readOfKind(event, "transform"),
    value,
    payload,
    ...(session !== undefined && { session: readSession(session) }),
    ...(from !== undefined && { source: readSource(from) }),
  };
  return { request, limitMs: readTimeout(given.timeoutMs) };
}

function answerOf(
  { value: given }: TransformRequest,
  { value, isWithheld, injections, reminders, trail: steps }: TransformResult,
): TransformAnswer {
  const failed = isWithheld ? { cause: "HL_HANDLER_FAILED" } : {};
  return { value, isReplaced: !Object.is(value, given), injections, reminders, trail: steps, ...failed };
}

/** A new value that is not JSON cannot be sent, and the old one must not go on in its place. */
function answerWith(request: TransformRequest, result: TransformResult): Answer {
  const answer = inertDecision(answerOf(request, result));
  try {
    return json(answer);
  } catch {
    const value = withheldValue(request.event, "what the hub's handlers made of it is not JSON");
    return json({ ...answer, value, cause: "HL_BAD_MODIFY" });
  }
}

/** The client cannot know whether a handler that did not answer was there to hide something: the hub does. */
function unanswered({ event, value }: TransformRequest, gates: Pick<Gates, "list">): TransformAnswer {
  const name = findEvent(event)?.name ?? event;
  const isClosed = gates.list().some((asked) => asked.event === name && asked.onFailure !== "open");
  const left = isClosed ? withheldValue(name, "the hub's handlers did not answer in time") : value;
  return { value: left, isReplaced: isClosed, injections: [], reminders: [], trail: [], cause: "HL_TIMEOUT" };
}

function orLate<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
