import type { NatsConnection } from "@nats-io/transport-node";
import { readStream } from "./read-stream.js";
import { bucketStream, subjects } from "./subjects.js";

/** Every key of a bucket with its value. A bucket keeps one message per key, so this is one pass over the stream behind it. */
export async function readBucket(connection: NatsConnection, bucket: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const prefix = subjects.key(bucket, "");
  const found = new Map<string, Uint8Array>();
  for await (const { subject, header, data } of readStream(connection, bucketStream(bucket), `${prefix}>`)) {
    const key = subject.slice(prefix.length);
    // A deleted key is a message with a header and no value.
    if (header.get("KV-Operation") === "") found.set(key, data);
    else found.delete(key);
  }
  return found;
}
