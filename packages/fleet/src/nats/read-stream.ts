import { JetStreamError, jetstreamManager, type StoredMsg } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";

const PAGE = 500;
/** The status for a stream that has no more messages. */
const NO_MESSAGE = 404;

/** The messages of a stream from a sequence on, oldest first, by direct get: it needs no consumer. `filter`: only these subjects. */
export async function* readStream(
  connection: NatsConnection,
  stream: string,
  filter?: string,
  from = 1,
): AsyncGenerator<StoredMsg, void, void> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  for (let seq = from; ; ) {
    let last = 0;
    try {
      const page = await manager.direct.getBatch(stream, { seq, batch: PAGE, ...(filter !== undefined && { next_by_subj: filter }) });
      for await (const message of page) {
        last = message.seq;
        yield message;
      }
    } catch (error) {
      if (!isNoMessage(error)) throw error;
    }
    if (last === 0) return;
    seq = last + 1;
  }
}

/** What a direct get of several messages says where there is none. */
export function isNoMessage(error: unknown): boolean {
  return error instanceof JetStreamError && "code" in error && error.code === NO_MESSAGE;
}
