import { errorText, HookError } from "@hookline/core/internal/machine";
import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  PersistMode,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import { VALUES_PER_KEY } from "./policy-keys.js";
import {
  ASK_STREAM,
  AUDIT_STREAM,
  allParts,
  bucketStream,
  buckets,
  eventStream,
  objectStores,
  objectStream,
  subjects,
} from "./subjects.js";

const NO_STREAM = 10059;
const DAY_MS = 86_400_000;
/** A host whose presence is older counts as away. */
export const PRESENCE_TTL_MS = 60_000;
const MIB = 1024 * 1024;
/** So that neither fills the disk that the events need. A full one refuses, and says so to who writes. The server reserves it. */
const ASK_BYTES = 256 * MIB;
const AUDIT_BYTES = 256 * MIB;

export interface StreamLimits {
  /** Copies of each stream: 1, or 3 on a cluster. */
  readonly replicas?: number;
  /** How much all events together may take that no fleet hub has stored yet. Default 8 GiB. The server reserves it. */
  readonly eventBytes?: number;
  /** The same for events that are larger than the server's `max_payload`. Default 2 GiB. */
  readonly largeEventBytes?: number;
}

/** A stream as the fleet needs it: every field that matters is named, the rest is the server's default. */
type Wanted = Partial<StreamConfig> & Pick<StreamConfig, "name">;

/** The streams and buckets of a fleet. */
export function fleetStreams({ replicas = 1, eventBytes = 8192 * MIB, largeEventBytes = 2048 * MIB }: StreamLimits = {}): Wanted[] {
  const common = { num_replicas: replicas, storage: StorageType.File, retention: RetentionPolicy.Limits };
  // Roll-up headers are off wherever a host may publish: with them, one message removes all others.
  const bucket = (name: string, more: Partial<StreamConfig> = {}): Wanted => ({
    ...common,
    name: bucketStream(name),
    subjects: [subjects.key(name, ">")],
    max_msgs_per_subject: 1,
    discard: DiscardPolicy.New,
    allow_direct: true,
    allow_rollup_hdrs: false,
    deny_delete: true,
    ...more,
  });
  const objects = (store: string, more: Partial<StreamConfig>): Wanted => ({
    ...common,
    name: objectStream(store),
    subjects: [subjects.chunks(store, ">"), subjects.metadata(store, ">")],
    discard: DiscardPolicy.New,
    allow_direct: true,
    ...more,
  });
  return [
    ...allParts.map((part) => ({
      ...common,
      name: eventStream(part),
      subjects: [subjects.ofPart(part)],
      // A fleet hub removes what it has stored. A work queue would do so with each acknowledgement, and wait for its disk each time.
      // A full stream refuses until then, and the host still has the events.
      discard: DiscardPolicy.New,
      max_bytes: Math.floor(eventBytes / allParts.length),
      allow_atomic: true,
      allow_rollup_hdrs: false,
    })),
    {
      ...common,
      name: ASK_STREAM,
      subjects: [subjects.question("*", "*"), subjects.answer("*", "*"), subjects.ended("*", "*")],
      // The server itself refuses a second answer to a question, whatever its headers say.
      max_msgs_per_subject: 1,
      discard: DiscardPolicy.New,
      discard_new_per_subject: true,
      max_age: nanos(DAY_MS),
      max_bytes: ASK_BYTES,
      allow_msg_ttl: true,
      allow_direct: true,
      allow_rollup_hdrs: false,
      ...told("hl.ans.>"),
    },
    {
      ...common,
      name: AUDIT_STREAM,
      subjects: ["hl.audit.>"],
      discard: DiscardPolicy.New,
      max_bytes: AUDIT_BYTES,
      deny_delete: true,
      deny_purge: true,
      allow_direct: true,
      allow_rollup_hdrs: false,
    },
    // On disk, because a server forgets a stream in memory when it starts again. Presence is repeated, so nothing waits for the disk.
    bucket(buckets.hosts, { max_age: nanos(PRESENCE_TTL_MS), ...(replicas === 1 && { persist_mode: PersistMode.Async }) }),
    bucket(buckets.policy, {
      max_msgs_per_subject: VALUES_PER_KEY,
      discard_new_per_subject: true,
      ...told(subjects.key(buckets.policy, ">")),
    }),
    bucket(buckets.cursor),
    bucket(buckets.always, told(subjects.key(buckets.always, ">"))),
    objects(objectStores.policy, { allow_rollup_hdrs: true }),
    objects(objectStores.events, { max_bytes: largeEventBytes, max_age: nanos(DAY_MS), allow_rollup_hdrs: false }),
  ];
}

function told(src: string): Pick<Wanted, "republish"> {
  return { republish: { src, dest: subjects.told(src) } };
}

export interface EnsuredStream {
  readonly name: string;
  readonly was: "created" | "updated" | "same";
}

/** Creates the streams and buckets that are missing and changes those that differ. A second call changes nothing. */
export async function ensureStreams(connection: NatsConnection, limits: StreamLimits = {}): Promise<readonly EnsuredStream[]> {
  const manager = await jetstreamManager(connection);
  const done: EnsuredStream[] = [];
  for (const wanted of fleetStreams(limits)) done.push({ name: wanted.name, was: await ensure(manager, wanted) });
  return done;
}

async function ensure(manager: JetStreamManager, wanted: Wanted): Promise<EnsuredStream["was"]> {
  try {
    const found = await findStream(manager, wanted.name);
    if (found === undefined) {
      await manager.streams.add(wanted);
      return "created";
    }
    // Neither can be changed. Hosts tell their presence again, and send again every event that the fleet's store has not confirmed.
    if ((found.persist_mode ?? "") !== (wanted.persist_mode ?? "") || found.retention === RetentionPolicy.Workqueue) {
      await manager.streams.delete(wanted.name);
      await manager.streams.add(wanted);
      return "updated";
    }
    if (differences(found, wanted).length === 0) return "same";
    await manager.streams.update(wanted.name, wanted);
    return "updated";
  } catch (cause) {
    throw new HookError("HL_FLEET_SERVER", `The server refused the stream ${wanted.name}: ${errorText(cause)}.`, {
      fix: { run: "hookline fleet doctor" },
      cause,
    });
  }
}

/** The configuration of a stream; `undefined` if there is no such stream. */
async function findStream(manager: JetStreamManager, name: string): Promise<StreamConfig | undefined> {
  try {
    return (await manager.streams.info(name)).config;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === NO_STREAM) return undefined;
    throw error;
  }
}

/** The fields in which a stream is not what the fleet needs. The server leaves out fields that are false or zero. */
export function differences(found: StreamConfig, wanted: Wanted): string[] {
  const entries = new Map<string, unknown>(Object.entries(found));
  return Object.entries(wanted)
    .filter(([key, value]) => JSON.stringify(entries.get(key) ?? false) !== JSON.stringify(value))
    .map(([key]) => key);
}
