import { JetStreamApiError, jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { isNoMessage } from "./read-stream.js";
import { bucketStream, buckets, subjects } from "./subjects.js";
import { whileReloading } from "./while-reloading.js";

/**
 * The server keeps the first values of a key and refuses more, until they are removed. So nothing that a credential lets the server reply to a
 * key can replace what is there: it can only stand beside it, where a reader passes over it.
 */
export const VALUES_PER_KEY = 2;

/** The server's answers to a put: it expects another revision; the key has as many values as it may. */
const WRONG_REVISION = 10071;
const STORE_FAILED = 10077;
const ATTEMPTS = 10;

export interface KeyValues {
  /** Oldest first. Which of them is the key's, its reader finds out. */
  readonly values: readonly Uint8Array[];
  /** For the next put; 0 where there is nothing. */
  readonly revision: number;
}

/** A key of the bucket `policy`. */
export function readValues(connection: NatsConnection, key: string): Promise<KeyValues> {
  return whileReloading(() => readOnce(connection, key));
}

async function readOnce(connection: NatsConnection, key: string): Promise<KeyValues> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const values: Uint8Array[] = [];
  let revision = 0;
  try {
    const wanted = { seq: 1, batch: VALUES_PER_KEY, next_by_subj: subjects.key(buckets.policy, key) };
    for await (const { data, seq } of await manager.direct.getBatch(bucketStream(buckets.policy), wanted)) {
      if (data.length > 0) values.push(data);
      revision = seq;
    }
  } catch (error) {
    if (!isNoMessage(error)) throw error;
  }
  return { values, revision };
}

/**
 * Puts a value in the place of all others. False if there is another one since `revision`; a message that is not a value does not count, as
 * `isSame` finds when the key is read again.
 */
export async function putValue(
  connection: NatsConnection,
  key: string,
  value: string | Uint8Array,
  { revision: first, isSame }: { readonly revision: number; readonly isSame: (now: KeyValues) => boolean },
): Promise<boolean> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const filter = subjects.key(buckets.policy, key);
  const purge = (seq: number) => whileReloading(() => manager.streams.purge(bucketStream(buckets.policy), { filter, seq }));
  let revision = first;
  for (let attempt = 1; ; attempt++) {
    try {
      const expect = { lastSubjectSequence: revision };
      const { seq } = await whileReloading(() => jetstream(connection).publish(filter, value, { expect }));
      await purge(seq);
      return true;
    } catch (error) {
      const code = error instanceof JetStreamApiError ? error.code : undefined;
      if ((code !== WRONG_REVISION && code !== STORE_FAILED) || attempt === ATTEMPTS) throw error;
    }
    const now = await readValues(connection, key);
    if (now.revision !== revision && !isSame(now)) return false;
    ({ revision } = now);
    // The newest stays, so that no other put is removed unseen. For a moment, the key may have no value.
    await purge(revision);
  }
}
