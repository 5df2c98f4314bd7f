import { HookError } from "@hookline/core/internal/machine";
import type { NatsConnection } from "@nats-io/transport-node";

/** Whether a connection is up, and who is told when it is again. */
export interface Link {
  readonly isUp: boolean;
  /** The same promise, but it rejects as soon as the connection is lost: the client lets a request wait for its time limit. */
  whileUp<T>(request: Promise<T>): Promise<T>;
  onUp(listener: () => void): void;
}

/** Follows a connection until it is closed. */
export function followLink(connection: NatsConnection): Link {
  const listeners: (() => void)[] = [];
  let isUp = true;
  let losses = new Set<(error: Error) => void>();
  void follow();

  function down(): void {
    isUp = false;
    const waiting = losses;
    losses = new Set();
    for (const reject of waiting) reject(new HookError("HL_FLEET_SERVER", "The connection to the fleet's server is lost."));
  }

  async function follow(): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === "disconnect") down();
      else if (type === "reconnect") {
        isUp = true;
        for (const listener of listeners) listener();
      }
    }
    down();
  }

  return {
    get isUp() {
      return isUp;
    },
    whileUp(request) {
      return new Promise((resolve, reject) => {
        losses.add(reject);
        request.then(resolve, reject).finally(() => losses.delete(reject));
      });
    },
    onUp: (listener) => void listeners.push(listener),
  };
}
