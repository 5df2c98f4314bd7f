import { findEvent } from "@hookline/core";
import { summarizeInput } from "@hookline/core/internal";
import type { Envelope } from "@hookline/core/sinks";
import type { TimelineSpan } from "../protocol.js";
import { gateMsOf } from "../store/gate-trail.js";
import { shortDetail } from "./short-detail.js";

type Span = { -readonly [Field in keyof TimelineSpan]: TimelineSpan[Field] };

/** What of a payload makes spans. It is whatever an agent sent. */
interface Told {
  readonly tool?: { readonly name?: unknown; readonly callId?: unknown; readonly input?: unknown };
  readonly worker?: { readonly id?: unknown; readonly name?: unknown; readonly task?: unknown };
  readonly status?: unknown;
  readonly by?: unknown;
  readonly text?: unknown;
  readonly approval?: { readonly id?: unknown; readonly eventId?: unknown; readonly isPresumed?: unknown; readonly payload?: unknown };
}

interface Question {
  readonly eventId: string;
  readonly asked: Span;
  /** The payload that waits. */
  readonly call: unknown;
  answered?: Span;
  /** The hub took it that there would be no answer. */
  presumed?: Span;
}

const TURN_STARTS = new Set(["agent:start", "turn:before"]);
const TURN_ENDS = new Set(["turn:end", "turn:after", "agent:end"]);
const WORKER_ENDS = /^worker:(completed|failed|stopped|cancelled)$/;
const SESSION_ENDS = "session:end";

/** Makes spans of a session's events, told in their order. What is in a turn or a worker has it as its parent. */
export class SpanBuilder {
  spans: Span[] = [];
  /** Workers that have begun, by their id, which is often that of a session of their own. */
  readonly workers = new Map<string, string>();
  readonly #open = new Map<string, Span>();
  /** Questions to people, by the id of the approval. */
  readonly #questions = new Map<string, Question>();
  /** Calls and other gates, by the id of their event. */
  readonly #gates = new Map<string, Span>();
  readonly #root: string | undefined;
  #turn: Span | undefined;

  constructor(root?: string) {
    this.#root = root;
  }

  add(envelope: Envelope): void {
    const { event } = envelope;
    const told = (envelope.payload ?? {}) as Told;
    if (findEvent(event)?.spec.class === "bulk") return;
    if (TURN_STARTS.has(event)) this.#startTurn(envelope);
    else if (TURN_ENDS.has(event)) this.#endTurn(envelope);
    else if (event === "tool:before") this.#startTool(envelope, told);
    else if (event === "tool:after") this.#endTool(envelope, told);
    else if (event === "worker:spawned") this.#startWorker(envelope, told);
    else if (WORKER_ENDS.test(event)) this.#endWorker(envelope, told);
    else if (envelope.decision !== undefined) this.#gates.set(envelope.id, this.#put(envelope, "gate", event));
    else if (event === "approval:requested") this.#ask(envelope, told);
    else if (event === "permission:replied") this.#answer(envelope, told);
    else if (event === "session:steer") this.#steer(envelope, told);
    else if (event !== "tool:result" && !event.startsWith("message:")) this.#put(envelope, "other", event);
    if (event === SESSION_ENDS) this.#endTurn(envelope);
  }

  /** Tells that there is an event which cannot be read: at the time of the one before it. */
  addUnreadable(place: number): void {
    const startAt = this.spans.at(-1)?.startAt ?? 0;
    const root = this.#root === undefined ? {} : { parentId: this.#root };
    this.spans.push({ id: `place ${place}`, kind: "other", name: `unreadable event at place ${place}`, startAt, eventId: "", ...root });
  }

  /** To be called when all has been told: the event that waited is stored after the question and the answer. */
  end(): void {
    const told = new Set<Span>();
    for (const { eventId, asked, call, presumed, answered = presumed } of this.#questions.values()) {
      const gate = this.#gates.get(eventId);
      if (gate === undefined && answered === undefined) asWaiting(asked, call);
      if (gate === undefined || answered === undefined) continue;
      gate.waitMs = (gate.waitMs ?? 0) + Math.max(0, answered.startAt - asked.startAt);
      if (gate.verdict === "deny" || gate.kind === "gate") gate.endAt = Math.max(gate.endAt ?? 0, answered.startAt);
      told.add(asked).add(answered);
      if (presumed !== undefined) told.add(presumed);
    }
    this.spans = this.spans.filter((span) => !told.has(span));
  }

  /** The process and the hub may both have told of it. */
  #ask(envelope: Envelope, { approval }: Told): void {
    const [id, eventId] = [textOf(approval?.id), textOf(approval?.eventId)];
    if (id !== undefined && this.#questions.has(id)) return;
    const asked = this.#put(envelope, "other", envelope.event);
    if (id !== undefined && eventId !== undefined) this.#questions.set(id, { eventId, asked, call: approval?.payload });
  }

  #answer(envelope: Envelope, { approval }: Told): void {
    const answered = this.#put(envelope, "other", envelope.event);
    const question = this.#questions.get(textOf(approval?.id) ?? "");
    if (question === undefined) return;
    if (approval?.isPresumed === true) question.presumed ??= answered;
    else question.answered ??= answered;
  }

  #steer(envelope: Envelope, { by, text, status }: Told): void {
    const span = this.#put(envelope, "other", envelope.event, [by, text].flatMap((part) => textOf(part) ?? []).join(": "));
    const said = textOf(status);
    if (said !== undefined) span.status = said;
  }

  #put(envelope: Envelope, kind: Span["kind"], name: string, about = ""): Span {
    const parentId = kind === "turn" ? this.#root : (this.#turn?.id ?? this.#root);
    const gateMs = gateMsOf(envelope.decision?.trail ?? []);
    const detail = shortDetail(about);
    const span: Span = {
      id: envelope.id,
      kind,
      name: name.slice(0, 200),
      startAt: timeOf(envelope),
      eventId: envelope.id,
      ...(parentId !== undefined && { parentId }),
      ...(envelope.decision !== undefined && { verdict: envelope.decision.verdict }),
      ...(gateMs !== undefined && { gateMs }),
      ...(detail !== undefined && { detail }),
      ...((envelope as Envelope & { readonly damaged?: unknown }).damaged === true && { damaged: true }),
    };
    this.spans.push(span);
    return span;
  }

  #startTurn(envelope: Envelope): void {
    // An agent may tell of the same turn twice, as a loop and as a turn.
    this.#turn ??= this.#put(envelope, "turn", envelope.event === "agent:start" ? "turn" : envelope.event);
  }

  #endTurn(envelope: Envelope): void {
    if (this.#turn !== undefined) this.#turn.endAt = timeOf(envelope);
    this.#turn = undefined;
  }

  #putTool(envelope: Envelope, tool: Told["tool"]): Span {
    return this.#put(envelope, "tool", textOf(tool?.name) ?? "tool", summarizeInput(tool?.input));
  }

  #startTool(envelope: Envelope, { tool }: Told): void {
    const span = this.#putTool(envelope, tool);
    if (envelope.decision?.asked !== undefined) {
      const asked = shortDetail(summarizeInput((Object(envelope.decision.asked) as Told).tool?.input));
      if (asked !== undefined && asked !== span.detail) span.asked = asked;
    }
    this.#open.set(span.verdict === "deny" ? deniedKey(tool) : toolKey(tool), span);
    this.#gates.set(envelope.id, span);
    if (span.verdict !== "deny") return;
    span.status = "blocked";
    span.endAt = span.startAt + Math.ceil(span.gateMs ?? 0);
  }

  #endTool(envelope: Envelope, { tool, status }: Told): void {
    const said = textOf(status);
    // Of two calls without an id, the one that was blocked is the one that was denied.
    const keys = said === "blocked" ? [deniedKey(tool), toolKey(tool)] : [toolKey(tool), deniedKey(tool)];
    const key = keys.find((known) => this.#open.has(known)) ?? "";
    // A reply without its question has only an end.
    const span = this.#open.get(key) ?? this.#putTool(envelope, tool);
    this.#open.delete(key);
    // One that was denied had ended then: it never ran.
    if (span.verdict !== "deny") span.endAt = Math.max(timeOf(envelope), span.startAt);
    if (said !== undefined) span.status = said;
  }

  #startWorker(envelope: Envelope, { worker }: Told): void {
    const id = textOf(worker?.id) ?? envelope.id;
    const span = this.#put(envelope, "worker", textOf(worker?.name) ?? id, textOf(worker?.task));
    this.#open.set(`worker ${id}`, span);
    this.workers.set(id, span.id);
  }

  #endWorker(envelope: Envelope, { worker }: Told): void {
    const key = `worker ${textOf(worker?.id)}`;
    const span = this.#open.get(key) ?? this.#put(envelope, "worker", textOf(worker?.name) ?? "worker");
    this.#open.delete(key);
    span.endAt = Math.max(timeOf(envelope), span.startAt);
    span.status = envelope.event.slice("worker:".length);
  }
}

/** A call that waits for a person has no event of its own yet: the question stands for it until then. */
function asWaiting(asked: Span, call: unknown): void {
  const { tool } = (call ?? {}) as Told;
  const detail = shortDetail(summarizeInput(tool?.input));
  asked.kind = "tool";
  asked.name = textOf(tool?.name) ?? asked.name;
  if (detail !== undefined) asked.detail = detail;
  asked.status = "waiting for a person";
  asked.waitMs = Math.max(0, Date.now() - asked.startAt);
}

function toolKey(tool: Told["tool"]): string {
  return `tool ${textOf(tool?.callId) ?? textOf(tool?.name)}`;
}

function deniedKey(tool: Told["tool"]): string {
  return `denied ${toolKey(tool)}`;
}

function timeOf({ at }: Envelope): number {
  return Date.parse(at);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined;
}
