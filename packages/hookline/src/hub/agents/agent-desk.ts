import { hostname } from "node:os";
import { type Decision, findEvent } from "@hookline/core";
import { createEnvelopePreparer, type Envelope, type EnvelopeSource, summarizeDecision } from "@hookline/core/sinks";
import type { AgentDecision, AgentDialect, HookReply, Translated } from "../../agents/agent.js";
import { CANARY_REASON, isCanary } from "../../agents/attach/canary.js";
import { isFromCopilot } from "../../agents/copilot/spelling.js";
import type { Approvals } from "../approvals/approvals.js";
import { hashOf } from "../approvals/hash-of.js";
import { isRefusal } from "../ingest/accept.js";
import { newId } from "../ingest/new-id.js";
import type { Gates, Ingest } from "../parts.js";
import { createRecent, type Sameness } from "./recent.js";
import { type SessionReminders, withReminders } from "./session-reminders.js";

const MAX_PAYLOAD_BYTES = 256 * 1_024;
const SAME_CALL_MS = 10_000;
const SAME_CONTENT_MS = 300;
const host = hostname();

export interface AgentDeskOptions {
  readonly dialects: readonly AgentDialect[];
  readonly gates: Gates;
  readonly approvals: Approvals;
  readonly ingest: Ingest;
  /** What observers left for a session. */
  readonly reminders?: SessionReminders;
  /** What shows a client that it is the hub that answers. */
  readonly seal: string;
  readonly onProblem: (text: string) => void;
}

/** One call of an agent's hook. */
interface AgentCall {
  readonly dialect: AgentDialect;
  /** The event, by the agent's own name. */
  readonly native: string;
  readonly payload: unknown;
  /** What cannot be understood is denied. */
  readonly isStrict?: boolean;
}

export interface AgentDesk {
  readonly seal: string;
  find(id: string): AgentDialect | undefined;
  /** What the hook answers. An event of the agent's is stored whatever came of it. */
  answer(call: AgentCall, signal: AbortSignal): Promise<HookReply>;
}

/** Where agents that were attached ask: their event becomes one of ours, the guards decide, and the answer goes back in their words. */
export function createAgentDesk({ dialects, gates, approvals, ingest, reminders, seal, onProblem }: AgentDeskOptions): AgentDesk {
  const prepare = createEnvelopePreparer({ maxPayloadBytes: MAX_PAYLOAD_BYTES, onError: (error) => onProblem(error.message) });
  const recent = createRecent<Decision | undefined>();

  async function decide(dialect: AgentDialect, { event, payload }: Translated, signal: AbortSignal): Promise<Decision | undefined> {
    if (findEvent(event)?.spec.kind !== "gate") return undefined;
    const source = sourceOf(dialect);
    return gates.decide({ event, payload, source, approver: approvals.approverFor({ source, asked: payload }) }, signal);
  }

  function record(envelope: Envelope): void {
    const accepted = ingest.acceptEnvelope(prepare(envelope).envelope);
    if (isRefusal(accepted)) return onProblem(`An event of ${envelope.source.app} was not stored: ${accepted.reason}`);
    ingest.append([accepted]).catch((error: unknown) => onProblem((error as Error).message));
  }

  async function settle(dialect: AgentDialect, asked: Translated, signal: AbortSignal): Promise<Decision | undefined> {
    const at = new Date().toISOString();
    const decision = await decide(dialect, asked, signal);
    record(envelopeOf(dialect, asked, decision, at));
    // No agent tells of the end of a call that never began.
    if (asked.event === "tool:before" && decision?.verdict === "deny") record(envelopeOf(dialect, blocked(asked), undefined, at));
    return decision;
  }

  async function answer(call: AgentCall, signal: AbortSignal): Promise<HookReply> {
    const dialect = speakerOf(call, dialects);
    const asked = dialect.translate(call.native, call.payload);
    if (isCanary(asked.payload)) return dialect.reply(call.native, CANARY_DENIED, asked);
    if (call.isStrict === true && isUnreadable(asked)) return dialect.reply(call.native, UNREADABLE_DENIED, asked);
    const decision = await recent.once(samenessOf(call, dialect, asked), () => settle(dialect, asked, signal));
    const told = decision === undefined ? NOTHING : heard(decision);
    return dialect.reply(call.native, withReminders(told, asked, reminders), asked);
  }

  return {
    seal,
    find: (id) => dialects.find((dialect) => dialect.id === id),
    answer,
  };
}

const NOTHING: AgentDecision = {
  verdict: "pass",
  reason: undefined,
  payload: undefined,
  modified: false,
  endLoop: false,
  injections: [],
  again: undefined,
};

/** It is nobody's event: it shows that the way from the agent to the hub and back is open. */
const CANARY_DENIED: AgentDecision = { ...NOTHING, verdict: "deny", reason: CANARY_REASON };

/** What the guards would look at is not what they know: a version never seen, or half a payload. */
const UNREADABLE_DENIED: AgentDecision = {
  ...NOTHING,
  verdict: "deny",
  reason: "Hookline does not understand this call of the agent, and it is attached with --strict. See: hookline doctor",
};

function isUnreadable({ event, payload }: Translated): boolean {
  return findEvent(event)?.spec.kind === "gate" && Array.isArray(payload.unreadable) && payload.unreadable.length > 0;
}

function blocked({ payload }: Translated): Translated {
  return { event: "tool:after", payload: { ...payload, status: "blocked" } };
}

/** An agent keeps no book of reminders: what one says is told with the answer. */
function heard(decision: Decision): AgentDecision {
  const { verdict, by, payload, modified, endLoop, again } = decision;
  // A model that is told who said no looks for another way; one that is told nothing tries again.
  const reason = decision.reason ?? (verdict === "deny" && by !== undefined ? `Denied by ${by}.` : undefined);
  const reminders = decision.reminders.map(({ spec }) => spec.body);
  return { verdict, reason, payload, modified, endLoop, again, injections: [...decision.injections, ...reminders] };
}

/** Copilot CLI also runs the hooks of a project that were written for Claude Code, and wants its own words all the same. */
function speakerOf({ dialect, payload }: AgentCall, dialects: readonly AgentDialect[]): AgentDialect {
  if (dialect.id !== "claude-code" || !isFromCopilot(payload)) return dialect;
  return dialects.find(({ id }) => id === "copilot") ?? dialect;
}

/** Two deliveries of one call have one answer, and are one event. A call that looks otherwise is another, even under the same id: a model may give one twice. */
function samenessOf(call: AgentCall, { id }: AgentDialect, { event, key, payload }: Translated): Sameness | undefined {
  if (key === undefined && event !== "tool:before") return undefined;
  const { session, cwd, tool } = payload as { readonly [field in "session" | "cwd" | "tool"]?: { readonly [field: string]: unknown } };
  const isCertain = typeof tool?.callId === "string";
  const content = hashOf(event, [cwd, tool?.name, tool?.input]);
  return {
    key: JSON.stringify([id, session?.id, event, key ?? tool?.callId, content]),
    door: call.dialect.id,
    isCertain,
    windowMs: isCertain ? SAME_CALL_MS : SAME_CONTENT_MS,
  };
}

function sourceOf({ id }: AgentDialect): EnvelopeSource {
  return { app: id, host, pid: 0, instance: id };
}

function envelopeOf(dialect: AgentDialect, { event, payload }: Translated, decision: Decision | undefined, at: string): Envelope {
  const { id, parentId } = (payload.session ?? {}) as { readonly id?: unknown; readonly parentId?: unknown };
  return {
    v: 1,
    id: newId(),
    seq: 0,
    at,
    event,
    source: sourceOf(dialect),
    ...(typeof id === "string" && { session: { id, ...(typeof parentId === "string" && { parentId }) } }),
    payload: decision?.payload ?? payload,
    ...(decision !== undefined && { decision: summarizeDecision(decision, payload) }),
    hops: [],
  };
}
