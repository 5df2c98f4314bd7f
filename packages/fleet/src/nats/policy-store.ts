import { createHash, randomBytes } from "node:crypto";
import { errorText, HookError } from "@hookline/core/internal/machine";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { z } from "zod";
import { type KeyValues, putValue, readValues } from "./policy-keys.js";
import { isNoMessage } from "./read-stream.js";
import { objectStores, objectStream, subjects } from "./subjects.js";

/** Below the smallest `max_payload` that servers are run with. */
const CHUNK_BYTES = 128 * 1024;
const MAX_BYTES = 32 * 1024 * 1024;
const PAGE = 64;
/** Bundles that stay in the object store, so that a host that comes back, or a rollback, finds them. */
const MAX_HISTORY = 20;
const HISTORY_KEY = "history";

export const CHANNELS = ["stable", "canary"] as const;
export type Channel = (typeof CHANNELS)[number];

const ring = z.strictObject({
  /** So many of a hundred hosts, by the hash of host and seed. */
  percent: z.number().min(0).max(100).exactOptional(),
  /** Bundles with the same seed go to the same hosts. Default: the bundle's digest. */
  seed: z.string().max(200).exactOptional(),
  labels: z.record(z.string(), z.string()).exactOptional(),
});

const pointer = z.strictObject({
  channel: z.enum(CHANNELS),
  name: z.string(),
  serial: z.int().min(1),
  /** Of the bundle's content. */
  digest: z.string(),
  /** Of the file, in hex. */
  sha256: z.string(),
  size: z.int().min(1).max(MAX_BYTES),
  /** The id of its chunks. */
  object: z.string().regex(/^[\w-]{1,100}$/),
  notAfter: z.number(),
  signer: z.string(),
  pushedAt: z.number(),
  ring: ring.exactOptional(),
});

/**
 * Where a bundle is, and for which hosts. The pointer and its ring are not signed; the bundle is. A person who may push, or the admin of the server, can offer a
 * signed bundle to other hosts than its signer meant, or hold it back.
 */
export type Pointer = Readonly<z.output<typeof pointer>>;
export type Ring = Readonly<z.output<typeof ring>>;

/** What a channel offers: a bundle, and the one before for the hosts outside its ring. */
const channelState = z.strictObject({ current: pointer, before: pointer.exactOptional() });
export type ChannelState = Readonly<z.output<typeof channelState>>;

interface Read<T> {
  readonly value: T;
  /** For the next put; 0 where there is nothing. */
  readonly revision: number;
}

/** A channel; the value is undefined before the first push. */
export async function readChannel(
  connection: NatsConnection,
  channel: Channel,
  onUnreadable?: Unreadable,
): Promise<Read<ChannelState | undefined>> {
  return readKey(connection, ofChannel(channel), onUnreadable);
}

/** The bundles that were pushed, the latest first. */
export async function readHistory(connection: NatsConnection, onUnreadable?: Unreadable): Promise<Read<readonly Pointer[]>> {
  return readKey(connection, ofHistory, onUnreadable);
}

/** Told of a key without a value that can be read: it counts as none then, and can be replaced. Without it, such a key throws. */
type Unreadable = (error: HookError) => void;

interface Key<T> {
  readonly name: string;
  readonly schema: z.ZodType<T>;
  readonly none: T;
  /** Of several values, the one with the highest counts. */
  readonly serialOf: (value: T) => number;
}

function ofChannel(channel: Channel): Key<ChannelState | undefined> {
  const schema = channelState.refine(({ current, before = current }) => current.channel === channel && before.channel === channel, {
    message: "it is that of another channel",
  });
  return { name: channel, schema, none: undefined, serialOf: (state) => state?.current.serial ?? 0 };
}

const ofHistory: Key<readonly Pointer[]> = {
  name: HISTORY_KEY,
  schema: z.array(pointer),
  none: [],
  serialOf: ([latest]) => latest?.serial ?? 0,
};

async function readKey<T>(connection: NatsConnection, key: Key<T>, onUnreadable?: Unreadable): Promise<Read<T>> {
  const found = await readValues(connection, key.name);
  const { value, error: cause } = valueIn(key, found);
  if (cause === undefined) return { value, revision: found.revision };
  const why = errorText(cause).replaceAll(/\s+/g, " ").slice(0, 200);
  const error = new HookError("HL_FLEET_SERVER", `The key "${key.name}" of the fleet's policy cannot be read: ${why}`, {
    fix: "Push the policy again, with a serial that is higher than those of the hosts: hookline fleet policy push <folder> --serial <number>",
    cause,
  });
  if (onUnreadable === undefined) throw error;
  onUnreadable(error);
  return { value, revision: found.revision };
}

/** The value of a key among what the server has there; an error if there is something, and none of it is a value. */
function valueIn<T>({ schema, none, serialOf }: Key<T>, { values }: KeyValues): { readonly value: T; readonly error?: unknown } {
  const found: T[] = [];
  let error: unknown;
  for (const data of values)
    try {
      found.push(schema.parse(JSON.parse(new TextDecoder().decode(data))));
    } catch (cause) {
      error = cause;
    }
  const [value] = found.sort((a, b) => serialOf(b) - serialOf(a));
  return value !== undefined ? { value } : { value: none, ...(error !== undefined && { error }) };
}

/** The file that a pointer stands for. Throws if it is not whole. */
export async function fetchBundle(connection: NatsConnection, { object, size, sha256, name, serial }: Pointer): Promise<Buffer> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const stream = objectStream(objectStores.policy);
  const subject = subjects.chunks(objectStores.policy, object);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let seq = 1; bytes < size; ) {
    const from = seq;
    try {
      for await (const message of await manager.direct.getBatch(stream, { seq, batch: PAGE, next_by_subj: subject })) {
        chunks.push(message.data);
        bytes += message.data.length;
        seq = message.seq + 1;
      }
    } catch (error) {
      if (!isNoMessage(error)) throw error;
    }
    if (seq === from) break;
  }
  // What follows the last chunk is not part of it: others can make the server reply to any subject.
  const whole = Buffer.concat(chunks).subarray(0, size);
  if (whole.length === size && hashOf(whole) === sha256) return whole;
  throw new HookError("HL_BUNDLE", `The bundle ${name}@${serial} is not whole on the fleet's server.`, {
    fix: { run: "hookline fleet policy status" },
  });
}

export type Pushed = Omit<Pointer, "object" | "sha256" | "size" | "pushedAt">;

/**
 * Stores a bundle and points its channel to it. The pointer is written only if the channel and the history are still what the caller read, so
 * two pushes never use one serial.
 */
export async function pushBundle(
  connection: NatsConnection,
  bytes: Buffer,
  pushed: Pushed,
  read: { readonly channel: Read<ChannelState | undefined>; readonly history: Read<readonly Pointer[]> },
): Promise<Pointer> {
  const object = `${pushed.serial}-${pushed.digest.slice(0, 16)}-${randomBytes(6).toString("hex")}`;
  const next: Pointer = { ...pushed, object, sha256: hashOf(bytes), size: bytes.length, pushedAt: Date.now() };
  const client = jetstream(connection);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    await client.publish(subjects.chunks(objectStores.policy, object), bytes.subarray(at, at + CHUNK_BYTES));
  const history = [next, ...read.history.value];
  // The history first: it has every serial that was ever used.
  await put(connection, ofHistory, history.slice(0, MAX_HISTORY), read.history);
  const before = isWhole(read.channel.value?.current) ? read.channel.value?.current : read.channel.value?.before;
  await put(connection, ofChannel(pushed.channel), { current: next, ...(before !== undefined && { before }) }, read.channel);
  await removeObjects(connection, history.slice(MAX_HISTORY));
  return next;
}

/** Whether it is for every host of its channel. */
function isWhole(given: Pointer | undefined): boolean {
  return given !== undefined && given.ring === undefined;
}

/** Only if the key is still what the caller read. */
async function put<T>(connection: NatsConnection, key: Key<T>, next: T, { value, revision }: Read<T>): Promise<void> {
  const isSame = (now: KeyValues): boolean =>
    [value, key.none].some((one) => JSON.stringify(one) === JSON.stringify(valueIn(key, now).value));
  if (await putValue(connection, key.name, JSON.stringify(next), { revision, isSame })) return;
  throw new HookError("HL_BUNDLE", "Another push was faster. Nothing is in force that this one brought.", {
    fix: { run: "hookline fleet policy status" },
  });
}

async function removeObjects(connection: NatsConnection, old: readonly Pointer[]): Promise<void> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  for (const { object } of old)
    await manager.streams.purge(objectStream(objectStores.policy), { filter: subjects.chunks(objectStores.policy, object) });
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export interface RingHost {
  readonly name: string;
  readonly labels: { readonly [key: string]: string };
  /** Its own choice, besides rings. */
  readonly channel: string;
}

/** The newest bundle that is for a host. */
export function pointerFor(host: RingHost, { stable, canary }: { readonly [C in Channel]: ChannelState | undefined }): Pointer | undefined {
  const offers = [canary?.current, canary?.before, stable?.current, stable?.before].filter((one) => one !== undefined);
  return offers.filter((one) => isFor(one, host)).sort((a, b) => b.serial - a.serial)[0];
}

/** A canary without a ring is for the hosts that chose this channel. */
function isFor({ ring: given, digest, channel }: Pointer, host: RingHost): boolean {
  if (given === undefined) return channel === "stable" || host.channel === channel;
  if (host.channel === "canary" && channel === "canary") return true;
  const { percent, labels, seed = digest } = given;
  const isMeant = Object.entries(labels ?? {}).every(([key, value]) => host.labels[key] === value);
  return isMeant && (percent === undefined || shareOf(host.name, seed) < percent);
}

/** From 0 to 100; evenly spread, and other hosts are first with each seed. */
export function shareOf(host: string, seed: string): number {
  return (createHash("sha256").update(`${seed}\0${host}`).digest().readUInt32BE(0) / 2 ** 32) * 100;
}
