import type { PlacedEvent, SessionRow } from "../../hub/protocol.js";
import type { Approval } from "../format/approval-lines.js";

/** What `hookline top` shows. */
export interface TopState {
  readonly address: string;
  readonly now: number;
  readonly waiting: readonly Approval[];
  /** Those with an event in the last minutes, newest first. */
  readonly sessions: readonly SessionRow[];
  /** Events that were decided, newest last. */
  readonly decisions: readonly PlacedEvent[];
  /** The id of a waiting call: its place in the list may change at any time. */
  readonly selected: string | undefined;
  readonly question: Question | undefined;
  readonly message: string | undefined;
}

/** A waiting call that is shown whole, to be answered. */
export interface Question {
  readonly approval: Approval;
  readonly verdict: "allow" | "deny";
  /** The first line that is shown of it. */
  readonly first: number;
}

const KEPT_DECISIONS = 200;

export function startState(address: string): TopState {
  return {
    address,
    now: Date.now(),
    waiting: [],
    sessions: [],
    decisions: [],
    selected: undefined,
    question: undefined,
    message: undefined,
  };
}

/** With the events among these that were decided. */
export function withEvents(state: TopState, events: readonly PlacedEvent[]): TopState {
  const decided = events.filter(({ decision }) => decision !== undefined);
  return decided.length === 0 ? state : { ...state, decisions: [...state.decisions, ...decided].slice(-KEPT_DECISIONS) };
}

/** With the calls that wait now. One of them is selected. */
export function withWaiting(state: TopState, waiting: readonly Approval[]): TopState {
  const isThere = waiting.some(({ id }) => id === state.selected);
  return { ...state, waiting, selected: isThere ? state.selected : waiting[0]?.id };
}
