import { approvalEventId } from "../bus/approval.js";
import type { HookEvent, TapDispatch } from "../bus/types.js";
import { type DecisionSummary, MAX_ASKED_DEPTH } from "../catalog/envelope.js";
import { type Ranked, rankOf } from "../sinks/class-lanes.js";
import { recordedPayload } from "../sinks/recorded-payload.js";
import { summaryOf } from "../wire/decision-summary.js";
import { payloadText } from "./payload-text.js";
import type { Segment } from "./segment.js";

/** An event on its way out: what was taken at its dispatch, and once that is made, its line. */
export class Outgoing implements Ranked {
  readonly order: number;
  readonly rank: number;
  /** About what it weighs. */
  bytes: number;
  taken: Taken | undefined;
  line: string | undefined;
  /** Where it is kept on disk. */
  segment: Segment | undefined = undefined;
  isRefused = false;

  constructor(order: number, rank: number, bytes: number, content: Taken | string) {
    this.order = order;
    this.rank = rank;
    this.bytes = bytes;
    this.taken = typeof content === "string" ? undefined : content;
    this.line = typeof content === "string" ? content : undefined;
  }
}

/** What an event was when its dispatch was over. */
export interface Taken {
  readonly id: string;
  readonly at: number;
  readonly event: string;
  /** JSON. */
  readonly payload: string;
  readonly session: { readonly id: string; readonly parentId?: string } | undefined;
  readonly decision: DecisionSummary | undefined;
  /** The payload before it was rewritten, as JSON. */
  readonly asked: string | undefined;
  /** The instances it passed before this one. */
  readonly hops: readonly string[] | undefined;
}

/** What an envelope weighs around its payload, about. */
const FRAME_BYTES = 320;
const STEP_BYTES = 160;

/** What was found out about an event on its way through the bus. */
export interface Findings {
  readonly hops: readonly string[] | undefined;
  /** What it was about at first, if it was rewritten. */
  readonly asked: unknown;
}

/** All that happens within a dispatch: a copy in one piece of text, everything else later. */
export function takeEvent(event: HookEvent, dispatch: TapDispatch, order: number, findings: Findings): Outgoing {
  const { decision } = dispatch;
  const { hops, asked } = findings;
  const payload = payloadText(recordedPayload(event, dispatch));
  const taken: Taken = {
    id: idOf(event),
    at: event.at,
    event: event.name,
    payload,
    session: sessionOf(event),
    decision: decision === undefined ? undefined : summaryOf(decision),
    asked: asked === undefined ? undefined : payloadText(asked, { maxDepth: MAX_ASKED_DEPTH }),
    hops,
  };
  const before = taken.asked === undefined ? 0 : Buffer.byteLength(taken.asked);
  const around = FRAME_BYTES + (taken.session?.id.length ?? 0) + weightOf(taken.decision) + before;
  return new Outgoing(order, knownRank(event.name), Buffer.byteLength(payload) + around, taken);
}

/** The question of an approval and its reply have the ids under which the hub records them. */
function idOf({ id, name, payload }: HookEvent): string {
  if (name !== "permission:replied" && name !== "approval:requested") return id;
  try {
    const { approval } = Object(payload) as { readonly approval?: { readonly id?: unknown } };
    return approvalEventId(name, approval?.id) ?? id;
  } catch {
    // A getter or Proxy of the host's own.
    return id;
  }
}

/** A guard may give a reason as long as it likes. */
function weightOf(decision: DecisionSummary | undefined): number {
  if (decision === undefined) return 0;
  const { reason = "", trail = [] } = decision;
  return trail.reduce((sum, step) => sum + STEP_BYTES + (step.reason?.length ?? 0), reason.length);
}

// A payload's session may have more to it than its names, and getters that throw.
function sessionOf(event: HookEvent): Taken["session"] {
  const { session } = event;
  if (session === undefined) return undefined;
  try {
    const { id, parentId } = session;
    if (typeof id !== "string") return undefined;
    return typeof parentId === "string" ? { id, parentId } : { id };
  } catch {
    return undefined;
  }
}

const ranks = new Map<string, number>();
/** Names of the host's own making may have no end. */
const MAX_RANKS = 1_000;

function knownRank(event: string): number {
  let rank = ranks.get(event);
  if (rank === undefined) {
    rank = rankOf(event);
    if (ranks.size < MAX_RANKS) ranks.set(event, rank);
  }
  return rank;
}
