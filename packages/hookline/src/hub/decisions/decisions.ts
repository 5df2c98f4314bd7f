import { isDeepStrictEqual } from "node:util";
import { type Decision, errorText, findEvent, HookError } from "@hookline/core";
import { createEnvelope, sessionIn } from "@hookline/core/internal";
import { summarizeDecision } from "@hookline/core/internal/sinks";
import { type DecisionSummary, decodeEnvelope, type Envelope, type EnvelopeSource } from "@hookline/core/sinks";
import type { Approvals } from "../approvals/approvals.js";
import { hashOf } from "../approvals/hash-of.js";
import type { AskedEvents } from "../gates/asked-events.js";
import { type Pause, wasPaused } from "../gates/pause.js";
import { isRefusal } from "../ingest/accept.js";
import type { EventPreparer } from "../ingest/event-preparer.js";
import { newId } from "../ingest/new-id.js";
import type { Origin } from "../ingest/origins.js";
import { HUB_ACTOR } from "../ingest/own-source.js";
import { weightOf } from "../ingest/weight.js";
import type { GateRequest, Gates, Ingest } from "../parts.js";
import { withContext } from "../policy/payload-context.js";
import type { Store } from "../store/store.js";
import { createSharedQuestions } from "./shared-questions.js";

/** How long the answer is there for a client that asks again; what is large takes room. */
const KEEP_MS = { small: 60_000, large: 5_000 };
const LARGE_CHARS = 64 * 1_024;

/** A question of an agent that has neither a bus nor a hook of ours. */
export interface Question {
  readonly request: GateRequest;
  /** The event is stored with its decision. Needs a source. */
  readonly isRecorded: boolean;
  /** Where a guard asks for a person, one is asked. */
  readonly isPatient: boolean;
  /** The event's id, by which a client that asks again is known. */
  readonly id?: string | undefined;
  /** When the client gives up: a question waits no longer. Milliseconds since 1970. */
  readonly deadlineAt: number;
  readonly origin?: Origin;
}

/** What was decided. With a failure nothing may run, whatever the decision says. */
export interface Outcome {
  readonly decision?: Decision;
  readonly failure?: unknown;
  /** The event in the store. `isNew` is false for the same question, stored before with the same decision. */
  readonly recorded?: { readonly id: string; readonly isNew: boolean };
}

export interface Decisions {
  /** Why a question cannot be recorded; nothing for one that can. */
  check(question: Question): { readonly code: string; readonly reason: string } | undefined;
  /** Never lets through what it could not record. Rejects with the signal's reason, or `HL_BAD_REQUEST` for an id that was used for another question. */
  ask(question: Question, signal: AbortSignal): Promise<Outcome>;
}

export interface DecisionsOptions {
  readonly gates: Gates;
  readonly approvals: Pick<Approvals, "approverFor">;
  readonly ingest: Ingest;
  readonly preparer: Pick<EventPreparer, "line">;
  readonly store: Pick<Store, "get">;
  readonly asked: Pick<AskedEvents, "add">;
  readonly pause: Pick<Pause, "current">;
}

/** Answers those who ask by HTTP, and keeps a record of it. */
export function createDecisions({ gates, approvals, ingest, preparer, store, asked: askedEvents, pause }: DecisionsOptions): Decisions {
  const shared = createSharedQuestions<Outcome>({
    onConflict: taken,
    // What passed in a pause is judged when guards are on again.
    holds: ({ decision }) => decision === undefined || !wasPaused(decision) || pause.current() !== undefined,
  });

  async function settle(question: Question, signal: AbortSignal): Promise<Outcome> {
    const at = new Date().toISOString();
    const { id = newId(), isRecorded, request } = question;
    // Before guards and people are asked: what cannot be recorded is not decided.
    if (isRecorded && question.id !== undefined) await refuseTaken(await storedAs(id), { ...question, id });
    const decided = await decide(isRecorded ? { ...question, request: { ...request, eventId: id } } : question, signal);
    if (!isRecorded) return decided;
    try {
      return { ...decided, recorded: await record({ ...question, id }, at, summaryOf(decided, question)) };
    } catch (failure) {
      if (failure instanceof HookError && failure.code === "HL_BAD_REQUEST") throw failure;
      // What leaves no trace does not run.
      return { failure };
    }
  }

  async function decide({ request, isPatient, deadlineAt }: Question, signal: AbortSignal): Promise<Outcome> {
    const { payload, session, source, eventId } = request;
    const approver = approvals.approverFor({
      ...(source !== undefined && { source }),
      ...(eventId !== undefined && { eventId }),
      // As the guards see it: what was only filled in is not a rewrite.
      asked: withContext(payload, { session }),
      until: deadlineAt,
    });
    try {
      const asked = isPatient ? { ...request, approver } : request;
      const decision = await orAborted(gates.decide(asked, signal), signal);
      // The decision says which guard was late, the signal only that one was.
      return { decision, ...(signal.aborted && { failure: decision.cause ?? (signal.reason as unknown) }) };
    } catch (failure) {
      return { failure };
    }
  }

  async function record(
    question: Question & { readonly id: string },
    at: string,
    decided: Decided,
  ): Promise<NonNullable<Outcome["recorded"]>> {
    const { id, origin } = question;
    if (await put(envelopeOf(question, id, { at, ...decided }), origin)) return { id, isNew: true };
    const stored = await storedAs(id);
    await refuseTaken(stored, question);
    if (stored !== undefined && isSame(stored, await prepared(envelopeOf(question, id, { at, ...decided })))) return { id, isNew: false };
    // The id is that of another process, or the guards say something else by now: both are kept.
    const own = newId();
    askedEvents.add(own);
    await put(envelopeOf(question, own, { at, ...decided }), origin);
    return { id: own, isNew: true };
  }

  async function put(envelope: Envelope, origin: Origin | undefined): Promise<boolean> {
    const accepted = ingest.accept(await preparer.line(envelope));
    if (isRefusal(accepted)) throw new HookError(accepted.code as "HL_BAD_ENVELOPE", accepted.reason);
    // Not stored under an id of its own if the id is taken: the answer names the id.
    return (
      (await ingest.append([{ envelope: accepted.envelope, body: accepted.body, ...(origin !== undefined && { origin }) }])).stored === 1
    );
  }

  /** As it is stored. */
  async function prepared(envelope: Envelope): Promise<Envelope> {
    return decodeEnvelope(await preparer.line(envelope));
  }

  async function storedAs(id: string): Promise<Envelope | undefined> {
    const found = await store.get(id);
    return found && decodeEnvelope(found.body);
  }

  /** Throws if the same process has used the id for something else: the answer would name the record of another call. */
  async function refuseTaken(stored: Envelope | undefined, question: Question & { readonly id: string }): Promise<void> {
    if (stored === undefined) return;
    const { payload } = question.request;
    const envelope = await prepared(envelopeOf(question, question.id, { at: stored.at, payload, decision: UNDECIDED }));
    if (isOfSameProcess(stored, envelope) && !isSameQuestion(stored, envelope)) throw taken();
  }

  return {
    check(question) {
      // Names and source are what it can be refused for; how deep and wide the payload is has been checked with the body.
      const undecided = { at: new Date().toISOString(), payload: {}, decision: UNDECIDED };
      const refusal = ingest.check(envelopeOf(question, question.id ?? newId(), undecided));
      return refusal && { code: refusal.code, reason: refusal.reason };
    },
    ask(question, signal) {
      const key = keyOf(question);
      const run = (given: AbortSignal): Promise<Outcome> => settle(question, given);
      if (key === undefined) return run(signal);
      const isLarge = weightOf(question.request.payload, LARGE_CHARS) > LARGE_CHARS;
      return shared.ask({ ...key, keepMs: isLarge ? KEEP_MS.large : KEEP_MS.small }, signal, run);
    },
  };
}

function taken(): HookError {
  return new HookError("HL_BAD_REQUEST", 'This "id" was used for another question.', { fix: "Give every question an id of its own." });
}

function isOfSameProcess({ source: { app, host, instance } }: Envelope, { source }: Envelope): boolean {
  return app === source.app && host === source.host && instance === source.instance;
}

function isSameQuestion(stored: Envelope, given: Envelope): boolean {
  const asked = [stored, given].map(({ event, session, payload, decision }) => [event, session, decision?.asked ?? payload]);
  return isDeepStrictEqual(plain(asked[0]), plain(asked[1]));
}

function isSame(stored: Envelope, given: Envelope): boolean {
  const said = [stored, given].map(({ payload, decision }) => [payload, decision?.verdict, decision?.actor]);
  return isOfSameProcess(stored, given) && isSameQuestion(stored, given) && isDeepStrictEqual(plain(said[0]), plain(said[1]));
}

/** As it is after it was stored. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

interface Decided {
  readonly payload: unknown;
  readonly decision: DecisionSummary;
}

const UNDECIDED: DecisionSummary = { verdict: "pass", modified: false, endLoop: false };

function summaryOf({ decision, failure }: Outcome, { request: { payload } }: Question): Decided {
  const summary = decision && summarizeDecision(decision, payload, "hub");
  if (decision !== undefined && summary !== undefined && failure === undefined) return { payload: decision.payload, decision: summary };
  const trail = summary?.trail === undefined ? {} : { trail: summary.trail };
  const decider = { by: HUB_ACTOR.name, actor: HUB_ACTOR };
  return { payload, decision: { verdict: "deny", ...decider, ...faultOf(failure), modified: false, endLoop: false, ...trail } };
}

/** Why nothing may run, in words and as a code. */
export function faultOf(failure: unknown): { readonly reason: string; readonly cause: string } {
  const cause = failure instanceof HookError ? failure.code : "HL_HANDLER_FAILED";
  return { reason: failure instanceof Error ? errorText(failure) : "The hub's guards failed.", cause };
}

/** By the event's id, or by the call's own. Without either every question is another. */
function keyOf({ request, id, isPatient, isRecorded }: Question): { readonly key: string; readonly content: string } | undefined {
  const { event, payload, session, source } = request;
  const callId = (payload as { readonly tool?: { readonly callId?: unknown } | null } | null)?.tool?.callId;
  if (id === undefined && (typeof callId !== "string" || callId === "")) return undefined;
  const content = hashOf(nameOf(event), { payload, session: session ?? null, isPatient, isRecorded });
  const which = id === undefined ? ["call", session?.id ?? "", nameOf(event), callId, content] : ["event", id];
  return { key: JSON.stringify([source?.app, source?.host, source?.instance, ...which]), content };
}

/** A guard that does not listen to its signal is not waited for. What the bus says of a decision that was given up has the trail so far. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = (): void => void setImmediate(() => reject(signal.reason));
    if (signal.aborted) give();
    signal.addEventListener("abort", give, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", give));
  });
}

function nameOf(event: string): string {
  return findEvent(event)?.name ?? event;
}

function envelopeOf({ request }: Question, id: string, { at, payload, decision }: Decided & { readonly at: string }): Envelope {
  const named = sessionIn(request.payload);
  const { event, source, session = named?.id === "" ? undefined : named } = request;
  return createEnvelope({
    id,
    at,
    event: nameOf(event),
    source: source as EnvelopeSource,
    session,
    payload,
    decision,
  });
}
