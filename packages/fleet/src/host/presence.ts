import type { NatsConnection } from "@nats-io/transport-node";
import type { Link } from "../nats/link.js";
import { presenceText, type Presence as Told } from "../nats/presence-message.js";
import { buckets, subjects } from "../nats/subjects.js";

/** Three times before the server forgets it. */
const PERIOD_MS = 20_000;
const SOON_MS = 500;

export interface PresenceOptions {
  readonly connection: NatsConnection;
  readonly link: Link;
  readonly host: string;
  /** What the host tells of itself: version, policy, positions, counters. */
  readonly facts: () => { readonly [field: string]: unknown };
}

export interface Presence {
  /** The facts have changed: tells them soon. */
  changed(): void;
  close(): void;
}

/** Tells the fleet that the host is there. Nothing waits for an answer: the next one follows. */
export function announcePresence({ connection, link, host, facts }: PresenceOptions): Presence {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function tell(state: Told["state"]): void {
    if (link.isUp && !connection.isClosed()) connection.publish(subjects.key(buckets.hosts, host), presenceText(facts(), state));
  }

  function next(ms: number): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(turn, ms).unref();
  }

  function turn(): void {
    tell("present");
    // Hosts that were started together must not all tell at once.
    next(PERIOD_MS * (0.75 + Math.random() / 2));
  }

  // Many hosts connect again at the same moment.
  link.onUp(() => next(Math.random() * Math.min(PERIOD_MS, 2 * SOON_MS)));
  turn();
  return {
    changed: () => next(SOON_MS),
    close() {
      isClosed = true;
      clearTimeout(timer);
      tell("left");
    },
  };
}
