import type { NatsConnection } from "@nats-io/transport-node";
import { cursorText } from "../nats/cursor.js";
import { buckets, subjects } from "../nats/subjects.js";

/** A host is told soon, so that what comes close together is told at once … */
const SOON_MS = 20;
/** … and then not again before this. */
const PERIOD_MS = 200;
/** With more hosts than this at once, the pause after them grows: the server waits for its disk for each. */
const PER_PERIOD = 100;

export interface Confirmations {
  /** The fleet's store has the events of a host up to this position. */
  confirm(host: string, store: string, position: number): void;
  close(): void;
}

/**
 * Tells hosts how far the fleet's store has got with them, each at most once in a period. One that is lost does no harm: a host that waits for
 * it asks, and is told again.
 */
export function createConfirmations(connection: NatsConnection, hub: string): Confirmations {
  const waiting = new Map<string, { readonly store: string; readonly position: number }>();
  let timer: NodeJS.Timeout | undefined;
  let nextAt = 0;

  function flush(): void {
    timer = undefined;
    nextAt = performance.now() + PERIOD_MS * Math.ceil(waiting.size / PER_PERIOD);
    for (const [host, { store, position }] of waiting) {
      if (connection.isClosed()) break;
      connection.publish(subjects.key(buckets.cursor, host), cursorText({ store, position, hub }));
    }
    waiting.clear();
  }

  return {
    confirm(host, store, position) {
      waiting.set(host, { store, position });
      timer ??= setTimeout(flush, Math.max(SOON_MS, nextAt - performance.now())).unref();
    },
    close() {
      clearTimeout(timer);
      flush();
    },
  };
}
