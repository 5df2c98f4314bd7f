import { HookError } from "@hookline/core/internal/machine";
import { type JetStreamManager, jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { bucketStream, buckets, subjects } from "../nats/subjects.js";

/** Host names are in lower case, so this is the name of no host. */
const keyOf = (part: string): string => `PART_${part}`;

/**
 * Makes this fleet hub the reader of a part. Two hubs with stores of their own would each get some of its messages. Throws if the part is
 * another hub's.
 */
export async function claimPart(connection: NatsConnection, manager: JetStreamManager, part: string, hub: string): Promise<void> {
  const subject = subjects.key(buckets.cursor, keyOf(part));
  const owner = async (): Promise<string | undefined> => {
    const found = await manager.direct.getMessage(bucketStream(buckets.cursor), { last_by_subj: subject });
    return found === null ? undefined : new TextDecoder().decode(found.data);
  };
  let known = await owner();
  if (known === undefined) {
    // The first one wins; the other reads its name.
    await jetstream(connection)
      .publish(subject, hub, { expect: { lastSubjectSequence: 0 } })
      .catch(() => {});
    known = await owner();
  }
  if (known === hub) return;
  throw new HookError("HL_FLEET_SERVER", `The fleet hub "${known ?? "unknown"}" reads part ${part}.`, {
    fix: `Give each fleet hub its own parts, or remove the key ${keyOf(part)} of the bucket ${buckets.cursor} if that hub is gone.`,
  });
}
