import type { TraceContext } from "@hookline/core/internal/sinks";
import type { Envelope } from "@hookline/core/sinks";
import { HOOKLINE } from "../names/gen-ai.js";
import { commonAttributes } from "./attributes.js";
import { endMessage, endModel, endTool, endWorker, startMessage, startModel, startTool, startWorker } from "./call-steps.js";
import { type EndReason, endedFor, OpenSession, sessionKeyOf } from "./open-session.js";
import type { SpanRecord } from "./span-record.js";
import { note, type Step, type StepOptions } from "./step.js";
import { readTold, type Told } from "./told.js";
import { endTurn, finish, startTurn } from "./turn-steps.js";

export interface TraceOptions extends StepOptions {
  readonly maxOpen: number;
  readonly maxOpenMs: number;
  /** The place of sessions that have none of their own. */
  readonly parent?: TraceContext | undefined;
}

/** Clocks differ. An event dated next year must not end all other sessions as silent, and then keep the ones before it open. */
const MAX_AHEAD_MS = 300_000;

const nothing: Step = () => [];

const steps: { readonly [event: string]: Step } = {
  "agent:start": startTurn,
  "turn:before": startTurn,
  "prompt:submit": startTurn,
  "agent:end": endTurn,
  "turn:end": endTurn,
  "turn:after": endTurn,
  "finish:before": finish,
  "tool:before": startTool,
  "tool:after": endTool,
  "llm:before": startModel,
  "llm:after": endModel,
  "llm:error": endModel,
  "message:start": startMessage,
  "message:complete": endMessage,
  "worker:spawned": startWorker,
  "worker:completed": endWorker,
  "worker:failed": endWorker,
  "worker:stopped": endWorker,
  "worker:cancelled": endWorker,
  // Too many to be of use in a trace.
  "message:delta": nothing,
  "reasoning:delta": nothing,
  "tool:progress": nothing,
  // The spans themselves say it.
  "session:start": nothing,
  "session:end": nothing,
};

/** Makes spans of events, told in their order: a session is a trace; turns, requests to models, tool calls and workers are its spans. */
export class TraceBuilder {
  readonly #options: TraceOptions;
  /** The session with the latest news is last. */
  readonly #sessions = new Map<string, OpenSession>();
  #open = 0;

  constructor(options: TraceOptions) {
    this.#options = options;
  }

  /** How many spans are open. */
  get open(): number {
    return this.#open;
  }

  /** Returns the spans that have ended, and the one that the event belongs to. */
  add(envelope: Envelope): { readonly ended: readonly SpanRecord[]; readonly within: SpanRecord } {
    const atMs = Date.parse(envelope.at);
    const told = readTold(envelope);
    const session = this.#sessionOf(envelope, told);
    const newsMs = Math.min(atMs, Date.now() + MAX_AHEAD_MS);
    session.lastMs = Math.max(session.lastMs, atMs);
    session.newsMs = Math.max(session.newsMs, newsMs);
    const before = session.size;
    const ended = [...(steps[envelope.event] ?? note)({ session, envelope, told, atMs, options: this.#options })];
    this.#open += session.size - before;
    const within = session.current;
    if (envelope.event === "session:end") ended.push(...this.#end(session));
    return { ended: [...ended, ...this.#sweep(newsMs)], within };
  }

  /** Ends everything that is open. */
  endAll(reason: EndReason): readonly SpanRecord[] {
    return [...this.#sessions.values()].flatMap((session) => this.#end(session, reason));
  }

  #sessionOf(envelope: Envelope, told: Told): OpenSession {
    const key = sessionKeyOf(envelope);
    const known = this.#sessions.get(key);
    const { traceparent = this.#options.parent } = told;
    const session = known ?? new OpenSession(envelope, { ...told, traceparent }, this.#sessions.get(envelope.session?.parentId ?? ""));
    if (known === undefined) this.#open++;
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    // The first event that says something about the session counts.
    const { [HOOKLINE.verdict]: _, [HOOKLINE.decidedBy]: __, ...about } = commonAttributes(envelope, told);
    session.root.attributes = { ...about, ...session.root.attributes };
    return session;
  }

  #end(session: OpenSession, reason?: EndReason): readonly SpanRecord[] {
    this.#open -= session.size;
    this.#sessions.delete(session.key);
    return session.end(session.lastMs, reason);
  }

  /** Ends sessions without news, and the oldest ones while too much is open. */
  #sweep(nowMs: number): readonly SpanRecord[] {
    const { maxOpen, maxOpenMs } = this.#options;
    const ended: SpanRecord[] = [];
    for (const session of this.#sessions.values()) {
      const isOld = session.newsMs < nowMs - maxOpenMs;
      if (!isOld && (this.#open <= maxOpen || this.#sessions.size === 1)) break;
      ended.push(...this.#end(session, isOld ? "no_news" : "evicted"));
    }
    while (this.#open > maxOpen && this.#endOldestCall(ended));
    return ended;
  }

  /** Within the only session. False if it has none. */
  #endOldestCall(ended: SpanRecord[]): boolean {
    const [session] = this.#sessions.values();
    const [oldest] = session?.calls ?? [];
    if (session === undefined || oldest === undefined) return false;
    const [key, span] = oldest;
    session.calls.delete(key);
    this.#open--;
    ended.push(endedFor(span, "evicted", session.lastMs));
    return true;
  }
}
