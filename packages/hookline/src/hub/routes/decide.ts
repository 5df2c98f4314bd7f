import { type Decision, findEvent, HookError, resolveEvent } from "@hookline/core";
import { type Answer, json } from "../http/answer.js";
import { JSON_MEDIA } from "../http/media-type.js";
import { readBody } from "../http/read-body.js";
import { readObject, readText } from "../http/read-json.js";
import { badRequest, Refused } from "../http/refused.js";
import type { GateRequest } from "../parts.js";
import type { DecideAnswer, DecideRequest } from "../protocol.js";
import { within } from "./deadline.js";
import type { Route } from "./route.js";
import { anything, boolean, list, object, session as sessionSchema, string, trail, verdict } from "./schemas.js";

const MAX_BYTES = 1024 * 1024;
const DEFAULT_MS = 5_000;
const MAX_MS = 600_000;
const timeoutMs = { type: "integer", minimum: 1, maximum: MAX_MS, default: DEFAULT_MS };

export const decide: Route = {
  method: "POST",
  path: "/api/decide",
  scope: "decide",
  summary: "Asks the hub's guards about a gate event",
  body: { [JSON_MEDIA]: object({ event: string, payload: anything, "session?": sessionSchema, "timeoutMs?": timeoutMs }) },
  response: {
    description: "What they decided. A failure of theirs, or no answer in time, is a deny with a cause.",
    schema: object({
      verdict,
      allowed: boolean,
      "reason?": string,
      "by?": string,
      "cause?": string,
      payload: anything,
      modified: boolean,
      endLoop: boolean,
      "again?": object({ "reason?": string, by: string }),
      "handled?": object({ output: anything, by: string }),
      injections: list(string),
      reminders: list(object({ spec: anything, by: string })),
      trail,
    }),
  },
  async handle({ parts, incoming, outgoing }) {
    const { request, limitMs } = readRequest(readObject(readText(await readBody(incoming, MAX_BYTES)), "The body"));
    try {
      const decision = await within(limitMs, outgoing, (signal) => parts.gates.decide(request, signal));
      return answerWith(toAnswer(decision), request.payload);
    } catch (error) {
      return json(failed(error, request.payload));
    }
  },
};

/** The fields of a request, whatever is in them. */
type Unchecked = { readonly [Field in keyof DecideRequest]?: unknown };

function readRequest({ event, payload, session, timeoutMs: limit = DEFAULT_MS }: Unchecked): {
  request: GateRequest;
  limitMs: number;
} {
  if (payload === undefined) throw badRequest('"payload" is missing.');
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > MAX_MS)
    throw badRequest(`"timeoutMs" must be a whole number from 1 to ${MAX_MS}.`);
  const name = readGate(event);
  return { request: { event: name, payload, ...(session !== undefined && { session: readSession(session) }) }, limitMs: Number(limit) };
}

function readGate(event: unknown): string {
  if (typeof event !== "string") throw badRequest('"event" must be the name of a gate event, such as "tool:before".');
  if (findEvent(event)?.spec.kind === "gate") return event;
  try {
    const { name, spec } = resolveEvent(event);
    throw new Refused(400, "HL_WRONG_KIND", `"${name}" is no gate but of kind ${spec.kind}: there is nothing to decide.`);
  } catch (error) {
    if (error instanceof HookError && !(error instanceof Refused)) throw new Refused(400, error.code, error.message);
    throw error;
  }
}

function readSession(session: unknown): { id: string; parentId?: string } {
  const { id, parentId } = (session ?? {}) as { readonly id?: unknown; readonly parentId?: unknown };
  if (typeof id !== "string" || id === "") throw badRequest('"session.id" must be text.');
  if (parentId !== undefined && typeof parentId !== "string") throw badRequest('"session.parentId" must be text.');
  return { id, ...(parentId !== undefined && { parentId }) };
}

function toAnswer(decision: Decision): DecideAnswer {
  const { reason, by, cause, again, handled } = decision;
  return {
    verdict: decision.verdict,
    allowed: decision.allowed,
    ...(reason !== undefined && { reason }),
    ...(by !== undefined && { by }),
    ...(cause !== undefined && { cause: cause.code }),
    payload: decision.payload,
    modified: decision.modified,
    endLoop: decision.endLoop,
    ...(again !== undefined && { again: { ...(again.reason !== undefined && { reason: again.reason }), by: again.by } }),
    ...(handled !== undefined && { handled }),
    injections: decision.injections,
    reminders: decision.reminders,
    trail: decision.trail,
  };
}

/** A rewrite that JSON cannot carry must not run as something else. */
function answerWith(answer: DecideAnswer, asked: unknown): Answer {
  try {
    return json(answer);
  } catch (cause) {
    return json(failed(new HookError("HL_BAD_MODIFY", "The rewritten payload is not JSON.", { cause }), asked));
  }
}

/** Whoever asks gets a verdict whatever fails, and one that lets nothing through. */
function failed(error: unknown, payload: unknown): DecideAnswer {
  const cause = error instanceof HookError ? error.code : "HL_HANDLER_FAILED";
  const reason = error instanceof Error ? error.message : "The hub's guards failed.";
  return {
    verdict: "deny",
    allowed: false,
    reason,
    cause,
    payload,
    modified: false,
    endLoop: false,
    injections: [],
    reminders: [],
    trail: [],
  };
}
