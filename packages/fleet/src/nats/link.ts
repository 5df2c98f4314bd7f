import type { NatsConnection } from "@nats-io/transport-node";

/** Whether a connection is up, and who is told when it is again. */
export interface Link {
  readonly isUp: boolean;
  onUp(listener: () => void): void;
}

/** Follows a connection until it is closed. */
export function followLink(connection: NatsConnection): Link {
  const listeners: (() => void)[] = [];
  let isUp = true;
  void follow();

  async function follow(): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === "disconnect") isUp = false;
      else if (type === "reconnect") {
        isUp = true;
        for (const listener of listeners) listener();
      }
    }
    isUp = false;
  }

  return {
    get isUp() {
      return isUp;
    },
    onUp: (listener) => void listeners.push(listener),
  };
}
