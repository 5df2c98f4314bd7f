import type { StoredEvent } from "hookline/internal/fleet";
import type { EventMessage } from "../nats/event-message.js";

/** What a host sends next. */
export interface Outgoing {
  readonly messages: readonly EventMessage[];
  /** Events that retention has removed before they were sent. */
  readonly missing: number;
}

export interface OutgoingOptions {
  readonly store: string;
  /** Everything up to this position has been sent. */
  readonly sent: number;
  /** Stored events after it, oldest first. */
  readonly rows: readonly StoredEvent[];
  /** The newest position when the rows were read. */
  readonly last: number;
  /** What retention removed up to this position was gone before the host joined. */
  readonly start: number;
  readonly limit: number;
}

/**
 * The messages for stored events. Positions have no gaps except those of retention, so a gap is a number of events that cannot be sent any more.
 * Events from agents' session files, and those that other hosts sent to this store, are not for the fleet.
 */
export function outgoingOf({ store, sent, rows, last, start, limit }: OutgoingOptions): Outgoing {
  const messages: EventMessage[] = [];
  let missing = 0;
  let at = sent;
  let previous = sent;
  const add = (kind: EventMessage["kind"], position: number, body = ""): void => {
    messages.push({ kind, store, previous, position, body });
    previous = position;
  };
  /** Everything between is gone. */
  const pass = (position: number): void => {
    if (at < start && position > at) at = Math.min(position, start);
    if (position <= at) return;
    if (previous < at) add("skip", at);
    missing += position - at;
    add("gap", position);
    at = position;
  };
  for (const row of rows) {
    if (messages.length >= limit - 2) break;
    pass(row.place - 1);
    at = row.place;
    if (row.imported !== 1 && (row.host ?? null) === null) add("event", row.place, row.body);
  }
  if (rows.length === 0) pass(last);
  if (previous < at) add("skip", at);
  return { messages, missing };
}
