import { JetStreamError, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { bucketStream, subjects } from "./subjects.js";

const PAGE = 500;
/** The status for a stream that has none. */
const NO_MESSAGE = 404;

/** Every key of a bucket with its value. A bucket keeps one message per key, so this is one pass over the stream behind it. */
export async function readBucket(connection: NatsConnection, bucket: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const stream = bucketStream(bucket);
  const prefix = subjects.key(bucket, "");
  const found = new Map<string, Uint8Array>();
  for (let next = 1; next > 0; ) next = await readPage(next);
  return found;

  /** The sequence at which the next page begins; 0 after the last one. */
  async function readPage(seq: number): Promise<number> {
    let last = 0;
    try {
      for await (const message of await manager.direct.getBatch(stream, { seq, batch: PAGE, next_by_subj: `${prefix}>` })) {
        const key = message.subject.slice(prefix.length);
        // A deleted key is a message with a header and no value.
        if (message.header.get("KV-Operation") === "") found.set(key, message.data);
        else found.delete(key);
        last = message.seq;
      }
    } catch (error) {
      if (!(error instanceof JetStreamError && "code" in error && error.code === NO_MESSAGE)) throw error;
    }
    return last === 0 ? 0 : last + 1;
  }
}
