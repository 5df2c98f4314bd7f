import { spanIdOf, type TraceContext, traceIdOf } from "@hookline/core/internal/sinks";
import type { Envelope, EnvelopeSource } from "@hookline/core/sinks";
import { HOOKLINE } from "../names/gen-ai.js";
import { type Attributes, attributes, KIND, type SpanRecord } from "./span-record.js";
import type { Told } from "./told.js";

/** Why a span ends whose own end was not reported. */
export type EndReason = "turn_ended" | "session_ended" | "next_turn" | "next_call" | "no_news" | "evicted" | "closed";

interface NewSpan {
  readonly kind: "session" | "turn" | "tool" | "chat" | "worker";
  /** What its id is made of. */
  readonly key: string;
  readonly name: string;
  readonly atMs: number;
  readonly attributes: Attributes;
  /** The place in a trace of the agent's own, if the event has one. */
  readonly parent?: TraceContext | undefined;
}

/** The key of a session; events without one belong to a session of their process. */
export function sessionKeyOf({ session, source }: Pick<Envelope, "session" | "source">): string {
  return session?.id ?? `process ${source.app} ${source.instance}`;
}

/** The open spans of one session. The span of the session is their root. */
export class OpenSession {
  readonly key: string;
  readonly root: SpanRecord;
  /** Calls by their key: tools, requests to models, workers. */
  readonly calls = new Map<string, SpanRecord>();
  turn: SpanRecord | undefined;
  hasPrompt = false;
  /** Only a prompt has opened the turn. Such agents report its end as `finish:before`. */
  endsWithAnswer = false;
  lastMs: number;
  /** The same, but not in the future of this machine. */
  newsMs = Number.NEGATIVE_INFINITY;
  /** Calls that had ended before their own end was reported, such as denied ones. */
  readonly #done = new Set<string>();

  constructor(envelope: Envelope, told: Pick<Told, "agentName" | "traceparent">, parent: OpenSession | undefined) {
    this.key = sessionKeyOf(envelope);
    this.lastMs = Date.parse(envelope.at);
    const { session, source, event } = envelope;
    const within = session === undefined ? undefined : parent?.spanFor(session.id);
    const remote = within === undefined ? told.traceparent : undefined;
    const traceId = within?.traceId ?? remote?.traceId ?? traceIdOf(session?.parentId ?? this.key);
    const parentId = session?.parentId;
    this.root = {
      traceId,
      spanId: spanIdOf(this.key, "session", ""),
      // After a restart the parent's span may be unknown, but not its id.
      parentSpanId: within?.spanId ?? remote?.spanId ?? (parentId === undefined ? undefined : spanIdOf(parentId, "session", "")),
      ...(remote !== undefined && { isParentRemote: true }),
      kind: KIND.internal,
      source,
      name: `${session === undefined ? "process" : "session"} ${told.agentName ?? source.app}`,
      startMs: this.lastMs,
      endMs: this.lastMs,
      attributes: attributes(session === undefined || event === "session:start" ? {} : { [HOOKLINE.startUnknown]: true }),
      events: [],
      droppedEvents: 0,
    };
  }

  /** How many spans are open. */
  get size(): number {
    return 1 + (this.turn === undefined ? 0 : 1) + this.calls.size;
  }

  /** The span that something happens in. */
  get current(): SpanRecord {
    return this.turn ?? this.root;
  }

  /** The span that another session, started by this one, is in. */
  spanFor(session: string): SpanRecord {
    return this.calls.get(`worker ${session}`) ?? this.current;
  }

  make({ kind, key, name, atMs, attributes: given, parent }: NewSpan, source: EnvelopeSource): SpanRecord {
    const isOutOfProcess = kind === "chat";
    // That of the session stands above all its spans already.
    const remote = parent?.spanId === this.root.parentSpanId ? undefined : parent;
    return {
      traceId: remote?.traceId ?? this.root.traceId,
      spanId: spanIdOf(this.key, kind, key),
      parentSpanId: remote?.spanId ?? (kind === "turn" ? this.root.spanId : this.current.spanId),
      ...(remote !== undefined && { isParentRemote: true }),
      kind: isOutOfProcess ? KIND.client : KIND.internal,
      source,
      name,
      startMs: atMs,
      endMs: atMs,
      attributes: given,
      events: [],
      droppedEvents: 0,
    };
  }

  /** Opens a call. Of two calls without an id, the end belongs to the newer one, so the older one ends here. */
  begin(key: string, span: SpanRecord): SpanRecord[] {
    const before = this.calls.get(key);
    this.calls.set(key, span);
    return before === undefined || before.spanId === span.spanId ? [] : [endedFor(before, "next_call", span.startMs)];
  }

  /** Remembers that the end of a call, should it come, was told already. */
  markDone(key: string): void {
    if (this.#done.size >= 1_000) this.#done.clear();
    this.#done.add(key);
  }

  takeDone(key: string): boolean {
    return this.#done.delete(key);
  }

  /** Ends the calls that are open: they end with what they were in. */
  endCalls(reason: EndReason, atMs: number): SpanRecord[] {
    const ended = [...this.calls.values()].map((span) => endedFor(span, reason, atMs));
    this.calls.clear();
    return ended;
  }

  /** Ends the turn, and what is open in it. Without a reason, it was reported. */
  endTurn(atMs: number, reason?: EndReason): SpanRecord[] {
    const calls = this.endCalls(reason ?? "turn_ended", atMs);
    const { turn } = this;
    this.turn = undefined;
    if (turn === undefined) return calls;
    return [...calls, reason === undefined ? ended(turn, atMs) : endedFor(turn, reason, atMs)];
  }

  /** Ends everything. */
  end(atMs: number, reason?: EndReason): SpanRecord[] {
    const rest = this.endTurn(atMs, reason ?? "session_ended");
    return [...rest, reason === undefined ? ended(this.root, atMs) : endedFor(this.root, reason, atMs)];
  }
}

export function ended(span: SpanRecord, atMs: number): SpanRecord {
  span.endMs = Math.max(span.startMs, atMs);
  return span;
}

export function endedFor(span: SpanRecord, reason: EndReason, atMs: number): SpanRecord {
  span.attributes[HOOKLINE.endReason] = reason;
  return ended(span, atMs);
}
