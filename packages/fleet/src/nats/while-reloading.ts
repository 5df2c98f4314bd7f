import { setTimeout as sleep } from "node:timers/promises";
import { JetStreamApiError } from "@nats-io/jetstream";
import { errors } from "@nats-io/transport-node";

/** The server's answer for an account that it is setting up. */
const NOT_ENABLED = 10039;
const ATTEMPTS = 20;
const PAUSE_MS = 100;

/** While a server reads its accounts again, nothing answers for its streams for a moment: what was sent then was not received, and is sent again. */
export async function whileReloading<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await act();
    } catch (error) {
      if (!isUnanswered(error) || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MS);
    }
}

function isUnanswered(error: unknown): boolean {
  if (error instanceof errors.NoRespondersError) return true;
  if (error instanceof JetStreamApiError && error.code === NOT_ENABLED) return true;
  if (error instanceof errors.RequestError && error.isNoResponders()) return true;
  return error instanceof Error && error.cause !== undefined && isUnanswered(error.cause);
}
