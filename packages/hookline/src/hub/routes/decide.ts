import { type Decision, findEvent, HookError } from "@hookline/core";
import { DEFAULT_HANDLER_TIMEOUT_MS, resolveEvent } from "@hookline/core/internal";
import type { EnvelopeSource } from "@hookline/core/sinks";
import { isAttachable } from "../agents/attachable.js";
import { faultOf, type Outcome, type Question } from "../decisions/decisions.js";
import { inertDecision } from "../decisions/inert-decision.js";
import type { SessionEffects } from "../effects/session-effects.js";
import { MAX_CALL_MS } from "../gates/gates.js";
import { type Answer, json } from "../http/answer.js";
import { badRequest, Refused, refusedWith } from "../http/refused.js";
import { JSON_MEDIA, readBody, readObject, readText } from "../http/request-body.js";
import type { GateRequest, HubParts } from "../parts.js";
import type { DecideAnswer, DecideRequest } from "../protocol.js";
import { signalled } from "./deadline.js";
import type { Route } from "./route.js";
import { anything, boolean, count, list, object, session as sessionSchema, string, trail, verdict } from "./schemas.js";

const MAX_BYTES = 1024 * 1024;
const ID = /^[!-~]{1,128}$/;
const INSTANCE = /^[A-Za-z0-9_-]{1,64}$/;
export const timeoutMs = { type: "integer", minimum: 1, maximum: MAX_CALL_MS, default: DEFAULT_HANDLER_TIMEOUT_MS };
export const source = object({
  app: string,
  "host?": string,
  "pid?": count,
  "instance?": { type: "string", pattern: INSTANCE.source },
});
const body = object({
  event: string,
  payload: anything,
  "session?": sessionSchema,
  "timeoutMs?": timeoutMs,
  "record?": boolean,
  "wait?": boolean,
  "id?": { type: "string", pattern: ID.source },
  "source?": source,
});

export const decide: Route = {
  method: "POST",
  path: "/api/decide",
  scope: "decide",
  summary: "Asks the hub's guards about a gate event; on request it is stored, and a person is asked",
  body: { [JSON_MEDIA]: { ...body, additionalProperties: false } },
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
      "recorded?": object({ id: string, isNew: boolean }),
    }),
  },
  async handle({ parts, incoming, outgoing }) {
    const { question, limitMs } = readRequest(readObject(readText(await readBody(incoming, MAX_BYTES)), "The body"));
    const { request, isRecorded, isPatient } = question;
    try {
      if (isRecorded || isPatient) return await settled(parts, question, (run) => signalled(limitMs, outgoing, run));
      const decision = await signalled(limitMs, outgoing, (signal) => parts.gates.decide(request, signal));
      return answerWith(withEffects(toAnswer(decision), request, parts.effects), request.payload);
    } catch (error) {
      if (error instanceof Refused) throw error;
      return json(inertDecision(failed(error, request.payload)));
    }
  },
};

async function settled(
  { decisions, effects }: Pick<HubParts, "decisions" | "effects">,
  question: Question,
  signalled: (run: (signal: AbortSignal) => Promise<Outcome>) => Promise<Outcome>,
): Promise<Answer> {
  const { payload } = question.request;
  const refusal = question.isRecorded ? decisions.check(question) : undefined;
  if (refusal !== undefined) throw new Refused(400, refusal.code as Refused["code"], `${refusal.reason} Nothing was decided.`);
  const { decision, failure, recorded } = await signalled((signal) => decisions.ask(question, signal)).catch(conflict);
  const told =
    decision === undefined || failure !== undefined ? failed(failure, payload) : withEffects(toAnswer(decision), question.request, effects);
  return answerWith({ ...told, ...(recorded !== undefined && { recorded }) }, payload);
}

/** An answer with what observers and operators have left for the session, where the model is told anything at all. */
function withEffects(answer: DecideAnswer, { event, session, source: from }: GateRequest, effects: SessionEffects): DecideAnswer {
  const outcomes: readonly string[] = findEvent(event)?.spec.outcomes ?? [];
  if (session === undefined || from === undefined || !answer.allowed || !outcomes.includes("inject") || !outcomes.includes("remind"))
    return answer;
  // An attached agent asks elsewhere, and an operator's words are for a session that is known: a client that only says so is neither.
  if (isAttachable(from.app)) return answer;
  const { injections, reminders } = effects.take(from.app, session.id, false);
  return {
    ...answer,
    injections: [...answer.injections, ...injections],
    reminders: [...answer.reminders, ...reminders.map((spec) => ({ spec, by: "hub" }))],
  };
}

/** One id for two questions is the client's mistake: there is no verdict for it. */
function conflict(error: unknown): never {
  if (error instanceof HookError && error.code === "HL_BAD_REQUEST") throw refusedWith(409, error);
  throw error;
}

/** The fields of a request, whatever is in them. */
type Unchecked = { readonly [Field in keyof DecideRequest]?: unknown };

function readRequest(given: Unchecked): { readonly question: Question; readonly limitMs: number } {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(FIELDS, key));
  // A slip in "record" or "wait" must not be taken for a question without them.
  if (unknown !== undefined) throw badRequest(`"${unknown.slice(0, 64)}" is not known here.`, `Known: ${Object.keys(FIELDS).join(", ")}.`);
  const { event, payload, session, record = false, wait = false, id, source: from } = given;
  const limitMs = readTimeout(given.timeoutMs, wait === true ? MAX_CALL_MS : DEFAULT_HANDLER_TIMEOUT_MS);
  if (payload === undefined) throw badRequest('"payload" is missing.');
  if (typeof record !== "boolean" || typeof wait !== "boolean") throw badRequest('"record" and "wait" must be true or false.');
  if (id !== undefined && (typeof id !== "string" || !ID.test(id)))
    throw badRequest('"id" must be 1 to 128 printable ASCII characters without blanks.');
  if (record && from === undefined) throw badRequest('"record" needs a "source": { "app": "<the name of your agent>" }.');
  const request = {
    event: readOfKind(event, "gate"),
    payload,
    ...(session !== undefined && { session: readSession(session) }),
    ...(from !== undefined && { source: readSource(from) }),
  };
  const deadlineAt = Date.now() + limitMs;
  return { question: { request, isRecorded: record, isPatient: wait, id, deadlineAt }, limitMs };
}

export function readTimeout(limit: unknown, instead = DEFAULT_HANDLER_TIMEOUT_MS): number {
  if (limit === undefined) return instead;
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > MAX_CALL_MS)
    throw badRequest(`"timeoutMs" must be a whole number from 1 to ${MAX_CALL_MS}.`);
  return Number(limit);
}

const FIELDS: { readonly [Field in keyof Required<DecideRequest>]: true } = {
  event: true,
  payload: true,
  session: true,
  timeoutMs: true,
  record: true,
  wait: true,
  id: true,
  source: true,
};

/** What is not known is left empty, as in the envelopes of attached agents. */
export function readSource(given: unknown): EnvelopeSource {
  const { app, host = "", pid = 0, instance = app } = (given ?? {}) as { readonly [field in keyof EnvelopeSource]?: unknown };
  if (typeof app !== "string" || app === "") throw badRequest('"source.app" must be the name of your agent.');
  if (typeof host !== "string") throw badRequest('"source.host" must be text.');
  if (!Number.isSafeInteger(pid) || Number(pid) < 0) throw badRequest('"source.pid" must be a whole number from 0.');
  if (typeof instance !== "string" || !INSTANCE.test(instance))
    throw badRequest('"source.instance" must be 1 to 64 letters, digits, _ or -. It is the name of the agent unless you give another.');
  return { app, host, pid: Number(pid), instance };
}

export function readOfKind(event: unknown, kind: "gate" | "transform"): string {
  const example = kind === "gate" ? "tool:before" : "tool:result";
  if (typeof event !== "string") throw badRequest(`"event" must be the name of a ${kind} event, such as "${example}".`);
  if (findEvent(event)?.spec.kind === kind) return event;
  try {
    const { name, spec } = resolveEvent(event);
    const nothing = kind === "gate" ? "there is nothing to decide" : "it has no value that could be replaced";
    throw new Refused(400, "HL_WRONG_KIND", `"${name}" is not a ${kind} but of kind ${spec.kind}: ${nothing}.`);
  } catch (error) {
    if (error instanceof HookError && !(error instanceof Refused)) throw refusedWith(400, error);
    throw error;
  }
}

export function readSession(session: unknown): { id: string; parentId?: string } {
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
    return json(inertDecision(answer));
  } catch (cause) {
    return json(failed(new HookError("HL_BAD_MODIFY", "The rewritten payload is not JSON.", { cause }), asked));
  }
}

/** Whoever asks gets a verdict whatever fails, and one that lets nothing through. */
function failed(error: unknown, payload: unknown): DecideAnswer {
  return {
    verdict: "deny",
    allowed: false,
    ...faultOf(error),
    payload,
    modified: false,
    endLoop: false,
    injections: [],
    reminders: [],
    trail: [],
  };
}
