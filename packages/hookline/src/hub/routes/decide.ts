import { catalog, type Decision, findEvent, HookError } from "@hookline/core";
import { DEFAULT_HANDLER_TIMEOUT_MS, families, findOne, resolveEvent } from "@hookline/core/internal";
import { z } from "zod";
import { findAgent } from "../../agents/agents.js";
import { faultOf, type Outcome, type Question } from "../decisions/decisions.js";
import { inertDecision } from "../decisions/inert-decision.js";
import type { SessionEffects } from "../effects/session-effects.js";
import { MAX_CALL_MS } from "../gates/gates.js";
import { type Answer, json } from "../http/answer.js";
import { Refused, refusedWith } from "../http/refused.js";
import type { GateRequest, HubParts } from "../parts.js";
import type { DecideAnswer, DecideRequest } from "../protocol.js";
import { signalled } from "./deadline.js";
import { route } from "./route.js";
import { actor, asker, contract, effects, eventName, fullSource, present, timeoutMs, verdict } from "./schemas.js";

const MAX_BYTES = 1024 * 1024;
const ID = /^[!-~]{1,128}$/;

export const decide = route({
  method: "POST",
  path: "/api/decide",
  scope: "decide",
  access: "ask",
  summary: "Asks the hub's guards about a gate event; on request it is stored, and a person is asked",
  maxBytes: MAX_BYTES,
  body: z
    .strictObject({
      event: eventName("gate"),
      payload: present.describe("The event's payload."),
      timeoutMs: timeoutMs.describe("5,000 unless given; 600,000 with `wait`. After that the answer is a denial."),
      record: z.boolean().default(false).describe("Stores the event with its decision. Needs `source`."),
      wait: z.boolean().default(false).describe("If a guard asks, a person is asked, and the answer is theirs."),
      id: z
        .string()
        .regex(ID, { error: "must be 1 to 128 printable ASCII characters without blanks." })
        .exactOptional()
        .describe("The event's id. The same question again gets the same answer."),
      ...asker,
    })
    .refine(({ record, source }) => !record || source !== undefined, {
      path: ["record"],
      error: 'needs a "source": { "app": "<the name of your agent>" }.',
    })
    .register(contract, { id: "DecideRequest" }),
  answer: {
    description: "The decision. A failure, or no answer in time, is a denial with a cause.",
    body: z
      .object({
        verdict,
        allowed: z.boolean().describe("True for `pass` and `allow`."),
        reason: z.string().exactOptional(),
        by: z.string().exactOptional().describe("The name of the actor that decided."),
        actor: actor.exactOptional(),
        cause: z.string().exactOptional().describe("The code of a failure."),
        payload: z.unknown().describe("What may run, after every rewrite."),
        modified: z.boolean(),
        endLoop: z.boolean(),
        again: z.object({ reason: z.string().exactOptional(), by: z.string() }).exactOptional(),
        handled: z.object({ output: z.unknown(), by: z.string() }).exactOptional(),
        ...effects,
        recorded: z
          .object({ id: z.string(), isNew: z.boolean().describe("False if the same question was already stored with the same decision.") })
          .exactOptional()
          .describe("The event is on disk."),
      })
      .register(contract, { id: "DecideAnswer" }),
  },
  async handle({ parts, incoming, outgoing, body }) {
    const { question: asked, limitMs } = questionOf(body);
    // Only what is stored has an origin.
    const question: Question = { ...asked, ...(asked.isRecorded && { origin: parts.ingest.requestOrigins.of(incoming.socket) }) };
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
});

async function settled(
  { decisions, effects, ingest }: Pick<HubParts, "decisions" | "effects" | "ingest">,
  question: Question,
  signalled: (run: (signal: AbortSignal) => Promise<Outcome>) => Promise<Outcome>,
): Promise<Answer> {
  const { payload, source } = question.request;
  // A person who is asked, and the record, must not take it for another.
  const forged = source && ingest.checkSource(source);
  const refusal = forged ?? (question.isRecorded ? decisions.check(question) : undefined);
  if (refusal !== undefined) throw new Refused(400, refusal.code as Refused["code"], `${refusal.reason} Nothing was decided.`);
  const { decision, failure, recorded } = await signalled((signal) => decisions.ask(question, signal)).catch(conflict);
  const told =
    decision === undefined || failure !== undefined ? failed(failure, payload) : withEffects(toAnswer(decision), question.request, effects);
  return answerWith({ ...told, ...(recorded !== undefined && { recorded }) }, payload);
}

/** Adds what observers and operators have left for the session, if the event can carry context to the model. */
function withEffects(answer: DecideAnswer, { event, session, source: from }: GateRequest, effects: SessionEffects): DecideAnswer {
  const outcomes: readonly string[] = findEvent(event)?.spec.outcomes ?? [];
  if (session === undefined || from === undefined || !answer.allowed || !outcomes.includes("inject") || !outcomes.includes("remind"))
    return answer;
  // Attached agents are told through their hooks. A client that only claims the name of one must not get what waits for it.
  if (findAgent(from.app) !== undefined) return answer;
  const { injections, reminders } = effects.take(from.app, session.id, false);
  return {
    ...answer,
    injections: [...answer.injections, ...injections],
    reminders: [...answer.reminders, ...reminders.map((spec) => ({ spec, by: "hub" }))],
  };
}

/** One id for two different questions is the client's mistake, so there is no verdict. */
function conflict(error: unknown): never {
  if (error instanceof HookError && error.code === "HL_BAD_REQUEST") throw refusedWith(409, error);
  throw error;
}

function questionOf({ event, payload, session, record = false, wait = false, id, source, timeoutMs: given }: DecideRequest) {
  const limitMs = given ?? (wait ? MAX_CALL_MS : DEFAULT_HANDLER_TIMEOUT_MS);
  const request = {
    event: readOfKind(event, "gate"),
    payload,
    ...(session !== undefined && { session }),
    ...(source !== undefined && { source: fullSource(source) }),
  };
  const question: Question = { request, isRecorded: record, isPatient: wait, id, deadlineAt: Date.now() + limitMs };
  return { question, limitMs };
}

/** Throws 400 if the event is unknown or of another kind. */
export function readOfKind(event: string, kind: "gate" | "transform"): string {
  if (findOne(event)?.spec.kind === kind) return event;
  try {
    const { name, spec } = resolveEvent(event);
    const fix = `docs/reference/events.md lists the events of kind ${kind}.`;
    if (!Object.hasOwn(catalog, name) && !Object.hasOwn(families, name.split(":", 1)[0] ?? ""))
      throw new Refused(400, "HL_WRONG_KIND", `The catalogue has no event "${name}". Events of your own are only observed.`, { fix });
    const nothing = kind === "gate" ? "there is nothing to decide" : "it has no value that could be replaced";
    throw new Refused(400, "HL_WRONG_KIND", `"${name}" is not a ${kind} but of kind ${spec.kind}: ${nothing}.`, { fix });
  } catch (error) {
    if (error instanceof HookError && !(error instanceof Refused)) throw refusedWith(400, error);
    throw error;
  }
}

function toAnswer(decision: Decision): DecideAnswer {
  const { reason, by, actor, cause, again, handled } = decision;
  return {
    verdict: decision.verdict,
    allowed: decision.allowed,
    ...(reason !== undefined && { reason }),
    ...(by !== undefined && { by }),
    ...(actor !== undefined && { actor }),
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

/** Whatever fails, the answer is a verdict that lets nothing through. */
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
