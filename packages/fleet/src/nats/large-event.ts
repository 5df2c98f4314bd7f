import { createHash, randomBytes } from "node:crypto";
import { HookError } from "@hookline/core/internal/machine";
import { JetStreamApiError, type JetStreamClient, type JetStreamManager } from "@nats-io/jetstream";
import { largeEventId, objectStores, objectStream, subjects } from "./subjects.js";

const CHUNK_BYTES = 512 * 1024;
/** More than any hub accepts as one event. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_CHUNKS = Math.ceil(MAX_BYTES / (64 * 1024));

/** Where an event is that is larger than a message may be. */
export interface Pointer {
  /** Its chunks are under this id, which begins with the host's name. */
  readonly object: string;
  readonly chunks: number;
  readonly size: number;
  /** SHA-256 of the event's bytes, in hex. */
  readonly digest: string;
}

/** Puts an event into the object store and returns the pointer for its message. */
export async function putLargeEvent(js: JetStreamClient, host: string, body: string, maxPayload: number): Promise<Pointer> {
  const bytes = Buffer.from(body);
  const id = randomBytes(12).toString("hex");
  const subject = subjects.chunks(objectStores.events, largeEventId(host, id));
  const size = Math.min(CHUNK_BYTES, Math.floor(maxPayload / 2));
  let chunks = 0;
  for (let at = 0; at < bytes.length; at += size, chunks++) await js.publish(subject, bytes.subarray(at, at + size));
  return { object: id, chunks, size: bytes.length, digest: digestOf(bytes) };
}

/** Gives the event, `undefined` if it is not there in full (any more). Rejects if the server cannot be asked. */
export async function getLargeEvent(manager: JetStreamManager, host: string, pointer: Pointer): Promise<string | undefined> {
  const stream = objectStream(objectStores.events);
  const subject = subjectOf(host, pointer);
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let seq = 1; parts.length < pointer.chunks; ) {
    const chunk = await nextChunk(manager, stream, { subject, seq });
    size += chunk?.data.length ?? 0;
    if (chunk === undefined || size > pointer.size) return undefined;
    parts.push(chunk.data);
    seq = chunk.seq + 1;
  }
  const bytes = Buffer.concat(parts);
  return bytes.length === pointer.size && digestOf(bytes) === pointer.digest ? bytes.toString() : undefined;
}

/** Frees the space of an event that is stored. */
export async function removeLargeEvent(manager: JetStreamManager, host: string, pointer: Pointer): Promise<void> {
  await manager.streams.purge(objectStream(objectStores.events), { filter: subjectOf(host, pointer) });
}

/** `undefined` for text that is not a pointer. */
export function readPointer(text: string): Pointer | undefined {
  try {
    const { object, chunks, size, digest } = JSON.parse(text) as { readonly [field: string]: unknown };
    if (typeof object !== "string" || !/^[0-9a-f]{24}$/.test(object)) return undefined;
    if (!isCount(chunks, MAX_CHUNKS) || !isCount(size, MAX_BYTES)) return undefined;
    return typeof digest === "string" ? { object, chunks, size, digest } : undefined;
  } catch {
    return undefined;
  }
}

function subjectOf(host: string, { object }: Pointer): string {
  return subjects.chunks(objectStores.events, largeEventId(host, object));
}

async function nextChunk(manager: JetStreamManager, stream: string, { subject, seq }: { readonly subject: string; readonly seq: number }) {
  try {
    return (await manager.direct.getMessage(stream, { next_by_subj: subject, seq })) ?? undefined;
  } catch (error) {
    if (error instanceof JetStreamApiError) return undefined;
    throw new HookError("HL_FLEET_SERVER", "A large event could not be read from the fleet's object store.", { cause: error });
  }
}

function isCount(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= most;
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
