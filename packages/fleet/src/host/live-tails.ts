import type { NatsConnection } from "@nats-io/transport-node";
import type { Arrival, FleetEvents } from "hookline/internal/fleet";
import { OVERHEAD_BYTES } from "../nats/event-message.js";
import { subjects } from "../nats/subjects.js";

/** A tail ends unless it is asked for again within this time. */
const LEASE_MS = 30_000;
const MAX_TAILS = 8;
/** More than a person reads; the rest is counted. */
const MAX_PER_SECOND = 500;
const ID = /^[A-Za-z0-9_-]{8,64}$/;

interface Tail {
  endsAt: number;
  second: number;
  sent: number;
  dropped: number;
}

export interface LiveTails {
  /** Starts a tail, or keeps it going; tells for how long. A sentence says why not. */
  open(id: unknown): { readonly leaseMs: number } | { readonly error: string };
  close(): void;
}

/** Sends what is stored on this host as it happens, to people who ask for it. The server does not store these messages. Without a request the host sends none. */
export function createLiveTails(connection: NatsConnection, host: string, events: Pick<FleetEvents, "onStored">): LiveTails {
  const tails = new Map<string, Tail>();
  let unwatch: (() => void) | undefined;

  function tell(arrivals: readonly Arrival[]): void {
    const now = Date.now();
    for (const [id, tail] of tails) {
      if (now >= tail.endsAt) tails.delete(id);
      else for (const arrival of arrivals) send(id, tail, arrival, now);
    }
    if (tails.size === 0) stop();
  }

  function send(id: string, tail: Tail, { body }: Arrival, now: number): void {
    const second = Math.floor(now / 1000);
    if (tail.second !== second) Object.assign(tail, { second, sent: 0 });
    if (tail.sent >= MAX_PER_SECOND || connection.isClosed()) return void tail.dropped++;
    tail.sent++;
    const text = `{"event":${body},"dropped":${tail.dropped}}`;
    const fits = Buffer.byteLength(text) <= (connection.info?.max_payload ?? 0) - OVERHEAD_BYTES;
    connection.publish(subjects.live(host, id), fits ? text : JSON.stringify({ tooLarge: body.length, dropped: tail.dropped }));
  }

  function stop(): void {
    unwatch?.();
    unwatch = undefined;
  }

  return {
    open(id) {
      if (typeof id !== "string" || !ID.test(id)) return { error: "The id of the tail must be 8 to 64 letters, digits, - or _." };
      const known = tails.get(id);
      for (const [other, { endsAt }] of tails) if (Date.now() >= endsAt) tails.delete(other);
      if (known === undefined && tails.size >= MAX_TAILS) return { error: `The host already has ${MAX_TAILS} live tails.` };
      tails.set(id, { ...(known ?? { second: 0, sent: 0, dropped: 0 }), endsAt: Date.now() + LEASE_MS });
      unwatch ??= events.onStored(tell);
      return { leaseMs: LEASE_MS };
    },
    close() {
      tails.clear();
      stop();
    },
  };
}
