import { GEN_AI, OPERATION } from "../names/gen-ai.js";
import { commonAttributes, modelAttributes, toolAttributes } from "./attributes.js";
import { decisionMs, guardrailSpans } from "./guardrail-spans.js";
import { ended } from "./open-session.js";
import { attributes, type SpanRecord } from "./span-record.js";
import { fail, type Occurrence, type Step, startEarlier } from "./step.js";
import type { Told } from "./told.js";

export const startTool: Step = (occurrence) => {
  const { session, envelope, options } = occurrence;
  const key = toolKey(occurrence.told);
  const span = toolSpan(occurrence);
  const guards = guardrailSpans(envelope, span, options.guardrails);
  if (envelope.decision?.verdict !== "deny") {
    return [...session.begin(key, span), ...guards];
  }
  // It never ran. Not every agent reports its end.
  session.markDone(key);
  fail(span, envelope.decision.reason ?? "denied", "blocked");
  return [...guards, ended(span, span.startMs + decisionMs(envelope))];
};

export const endTool: Step = (occurrence) => {
  const { session, told, atMs, options } = occurrence;
  const key = toolKey(told);
  if (session.takeDone(key)) return [];
  const span = session.calls.get(key) ?? unseen(toolSpan(occurrence), told);
  session.calls.delete(key);
  span.attributes = { ...span.attributes, ...toolAttributes(told, options.content) };
  if (told.status !== undefined && told.status !== "ok") fail(span, told.error ?? told.status, told.status);
  return [ended(span, atMs)];
};

function toolKey({ tool }: Told): string {
  return `tool ${tool.callId ?? tool.name}`;
}

function toolSpan({ session, envelope, told, atMs, options }: Occurrence): SpanRecord {
  const given = { ...commonAttributes(envelope, told), ...toolAttributes(told, options.content) };
  const key = told.tool.callId ?? envelope.id;
  const name = `${OPERATION.tool} ${told.tool.name}`;
  return session.make({ kind: "tool", key, name, atMs, attributes: given, parent: told.traceparent }, envelope.source);
}

/** The key of a request that has no id. */
const REQUEST = "chat";

export const startModel: Step = (occurrence) => {
  const { session, envelope, options } = occurrence;
  const span = modelSpan(occurrence);
  return [...session.begin(REQUEST, span), ...guardrailSpans(envelope, span, options.guardrails)];
};

export const endModel: Step = (occurrence) => {
  const { session, envelope, told } = occurrence;
  const span = session.calls.get(REQUEST) ?? unseen(modelSpan(occurrence), told);
  session.calls.delete(REQUEST);
  if (envelope.event === "llm:error") fail(span, told.error ?? "error", told.reason ?? "_OTHER");
  return endedModel(span, occurrence);
};

/** A message within a request is a part of it; one without is all that is known of the request. */
export const startMessage: Step = (occurrence) => {
  const { session, told } = occurrence;
  return session.calls.has(REQUEST) ? [] : session.begin(`message ${told.messageId}`, modelSpan(occurrence));
};

export const endMessage: Step = (occurrence) => {
  const key = `message ${occurrence.told.messageId}`;
  const span = occurrence.session.calls.get(key);
  occurrence.session.calls.delete(key);
  return span === undefined ? [] : endedModel(span, occurrence);
};

function modelSpan({ session, envelope, told, atMs, options }: Occurrence): SpanRecord {
  const given = { ...commonAttributes(envelope, told), ...modelAttributes(told, options.content) };
  const name = told.model === undefined ? OPERATION.model : `${OPERATION.model} ${told.model}`;
  return session.make({ kind: "chat", key: envelope.id, name, atMs, attributes: given }, envelope.source);
}

function endedModel(span: SpanRecord, { told, atMs, options }: Occurrence): readonly SpanRecord[] {
  span.attributes = { ...span.attributes, ...modelAttributes(told, options.content) };
  if (told.model !== undefined) span.name = `${OPERATION.model} ${told.model}`;
  return [ended(span, atMs)];
}

export const startWorker: Step = ({ session, envelope, told, atMs, options }) => {
  const id = told.worker.id ?? envelope.id;
  const { name = "worker" } = told.worker;
  const own = attributes({ [GEN_AI.operation]: OPERATION.agent, [GEN_AI.agentName]: name, [GEN_AI.agentId]: id });
  const given = { ...commonAttributes(envelope, told), ...own };
  const span = session.make({ kind: "worker", key: id, name: `${OPERATION.agent} ${name}`, atMs, attributes: given }, envelope.source);
  return [...session.begin(`worker ${id}`, span), ...guardrailSpans(envelope, span, options.guardrails)];
};

export const endWorker: Step = ({ session, envelope, told, atMs }) => {
  const key = `worker ${told.worker.id}`;
  const span = session.calls.get(key);
  if (span === undefined) return [];
  session.calls.delete(key);
  const status = envelope.event.slice("worker:".length);
  if (status !== "completed") fail(span, told.error ?? status, status);
  return [ended(span, atMs)];
};

function unseen(span: SpanRecord, { durationMs }: Told): SpanRecord {
  startEarlier(span, durationMs);
  return span;
}
