import { hostname } from "node:os";
import { type Decision, findEvent } from "@hookline/core";
import { createEnvelopePreparer, type Envelope, type EnvelopeSource, summarizeDecision } from "@hookline/core/sinks";
import type { AgentDecision, AgentDialect, HookReply, Translated } from "../../agents/agent.js";
import type { Approvals } from "../approvals/approvals.js";
import { isRefusal } from "../ingest/accept.js";
import { newId } from "../ingest/new-id.js";
import type { Gates, Ingest } from "../parts.js";
import { createRecent, type Sameness } from "./recent.js";

const MAX_PAYLOAD_BYTES = 256 * 1_024;
const SAME_CALL_MS = 10_000;
const SAME_CONTENT_MS = 300;
const host = hostname();

export interface AgentDeskOptions {
  readonly dialects: readonly AgentDialect[];
  readonly gates: Gates;
  readonly approvals: Approvals;
  readonly ingest: Ingest;
  /** What shows a client that it is the hub that answers. */
  readonly seal: string;
  readonly onProblem: (text: string) => void;
}

/** One call of an agent's hook. */
export interface AgentCall {
  readonly dialect: AgentDialect;
  /** The event, by the agent's own name. */
  readonly native: string;
  readonly payload: unknown;
}

export interface AgentDesk {
  readonly seal: string;
  find(id: string): AgentDialect | undefined;
  /** What the hook answers. An event of the agent's is stored whatever came of it. */
  answer(call: AgentCall, signal: AbortSignal): Promise<HookReply>;
  /** When each agent was last heard of, in milliseconds since 1970. */
  readonly lastSeen: ReadonlyMap<string, number>;
}

/** Where agents that were attached ask: their event becomes one of ours, the guards decide, and the answer goes back in their words. */
export function createAgentDesk({ dialects, gates, approvals, ingest, seal, onProblem }: AgentDeskOptions): AgentDesk {
  const prepare = createEnvelopePreparer({ maxPayloadBytes: MAX_PAYLOAD_BYTES, onError: (error) => onProblem(error.message) });
  const recent = createRecent<HookReply>();
  const lastSeen = new Map<string, number>();

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

  async function handle({ dialect, native }: AgentCall, asked: Translated, signal: AbortSignal): Promise<HookReply> {
    const at = new Date().toISOString();
    const decision = await decide(dialect, asked, signal);
    record(envelopeOf(dialect, asked, decision, at));
    return dialect.reply(native, decision === undefined ? NOTHING : heard(decision), asked);
  }

  return {
    seal,
    find: (id) => dialects.find((dialect) => dialect.id === id),
    answer(call, signal) {
      const asked = call.dialect.translate(call.native, call.payload);
      lastSeen.set(call.dialect.id, Date.now());
      return recent.once(samenessOf(call, asked), () => handle(call, asked, signal));
    },
    lastSeen,
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

/** An agent keeps no book of reminders: what one says is told with the answer. */
function heard(decision: Decision): AgentDecision {
  const { verdict, reason, payload, modified, endLoop, again } = decision;
  const reminders = decision.reminders.map(({ spec }) => spec.body);
  return { verdict, reason, payload, modified, endLoop, again, injections: [...decision.injections, ...reminders] };
}

/** Two deliveries of one call have one answer, and are one event. */
function samenessOf({ dialect, payload }: AgentCall, { event, key, payload: ours }: Translated): Sameness | undefined {
  const session = (ours.session as { readonly id?: unknown } | undefined)?.id;
  if (key !== undefined) return { key: JSON.stringify([dialect.id, session, event, key]), windowMs: SAME_CALL_MS };
  // Without an id, a call that is made twice looks like one that is told twice: only what comes at once is taken for that.
  return event === "tool:before" ? { key: JSON.stringify([dialect.id, session, event, payload]), windowMs: SAME_CONTENT_MS } : undefined;
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
    ...(decision !== undefined && { decision: summarizeDecision(decision) }),
    hops: [],
  };
}
