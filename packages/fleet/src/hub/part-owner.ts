import { HookError } from "@hookline/core/internal/machine";
import { type JetStreamManager, jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { bucketStream, buckets, isName, subjects } from "../nats/subjects.js";

/** Host names are in lower case, so this is the name of no host. */
const keyOf = (part: string): string => `PART_${part}`;

/**
 * Makes this fleet hub the reader of a part. Two hubs with stores of their own would each get some of its messages. Throws if the part is
 * another hub's.
 */
export async function claimPart(connection: NatsConnection, manager: JetStreamManager, part: string, hub: string): Promise<void> {
  const before = await ownerOf(manager, part);
  if (before.name === hub) return;
  // The first one wins; the other reads its name.
  if (before.name === "") await put(connection, part, hub, before.sequence).catch(() => {});
  const { name } = await ownerOf(manager, part);
  if (name === hub) return;
  throw new HookError("HL_FLEET_SERVER", `The fleet hub "${name}" reads part ${part}.`, {
    fix: `Give each fleet hub its own parts. If that hub is gone, put an empty value under ${keyOf(part)} in the bucket ${buckets.cursor}.`,
  });
}

/** Leaves a part to other fleet hubs. */
export async function releasePart(connection: NatsConnection, manager: JetStreamManager, part: string, hub: string): Promise<void> {
  const { name, sequence } = await ownerOf(manager, part);
  if (name === hub) await put(connection, part, "", sequence);
}

interface Owner {
  /** Empty for a part without one. */
  readonly name: string;
  readonly sequence: number;
}

async function ownerOf(manager: JetStreamManager, part: string): Promise<Owner> {
  const found = await manager.direct.getMessage(bucketStream(buckets.cursor), { last_by_subj: subjectOf(part) });
  if (found === null) return { name: "", sequence: 0 };
  const name = new TextDecoder().decode(found.data);
  // Something else than a name is not a claim of a fleet hub.
  return { name: isName(name) ? name : "", sequence: found.seq };
}

async function put(connection: NatsConnection, part: string, name: string, lastSubjectSequence: number): Promise<void> {
  await jetstream(connection).publish(subjectOf(part), name, { expect: { lastSubjectSequence } });
}

function subjectOf(part: string): string {
  return subjects.key(buckets.cursor, keyOf(part));
}
