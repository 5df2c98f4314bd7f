import { backoffDelay } from "@hookline/core/internal/wire";
import type { NatsConnection } from "@nats-io/transport-node";
import { askHost } from "../nats/ask-host.js";

const TIMEOUT_MS = 5000;
const PAUSES = { baseMs: 1000, maxMs: 60_000, jitter: 0.5 };

interface Asked {
  readonly store: string;
  readonly after: number;
  readonly failures: number;
  readonly nextAt: number;
}

/** Asks hosts to send again what is missing. The same request is repeated only after a pause, because more messages that cannot be stored may be on their way. */
export function createResendRequests(connection: NatsConnection) {
  const asked = new Map<string, Asked>();
  let count = 0;
  return {
    get count() {
      return count;
    },
    ask(host: string, store: string, after: number): void {
      const known = asked.get(host);
      const isSame = known?.store === store && known.after === after;
      const now = performance.now();
      if (isSame && now < known.nextAt) return;
      const failures = isSame ? known.failures + 1 : 0;
      asked.set(host, { store, after, failures, nextAt: now + backoffDelay(failures, PAUSES) });
      count++;
      // A host that is away is asked again when it says that it waits.
      askHost(connection, { host, verb: "resend", timeoutMs: TIMEOUT_MS }, { store, after }).then(undefined, () => {});
    },
  };
}

export type ResendRequests = ReturnType<typeof createResendRequests>;
