import { createHash } from "node:crypto";
import { HookError } from "@hookline/core/internal/machine";

/**
 * Every subject, stream and bucket of a fleet. A credential may use only what `credentials/permissions.ts` grants for it, so a name that is
 * not made here is refused by the server.
 *
 * A host creates no consumer: the server lets the creator of a push consumer choose any subject for its messages, which would let a host
 * publish under other names. Hosts read single keys by direct get and take core messages on the subjects of the buckets as a hint.
 */

/** The events are spread over so many streams, by the hash of the host's name. */
const PARTS = 16;

/** One token of a subject. Lower case only, because file systems and people confuse the cases. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** The holders of credentials. */
export type Kind = "host" | "hub" | "person";

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** Throws for a name that is not one token of a subject. */
export function checkName(kind: Kind | "tenant", name: string): string {
  if (isName(name)) return name;
  throw new HookError("HL_FLEET_NAME", `"${name.slice(0, 80)}" cannot be the name of a ${kind}.`, {
    fix: "Use at most 63 of a-z, 0-9, - and _, beginning with a letter or a digit.",
  });
}

/** The part of a host: "00" to "15". */
export function partOf(host: string): string {
  return partName((createHash("sha256").update(host).digest()[0] ?? 0) % PARTS);
}

function partName(part: number): string {
  return String(part).padStart(2, "0");
}

export const allParts: readonly string[] = Array.from({ length: PARTS }, (_, part) => partName(part));

export function eventStream(part: string): string {
  return `EV_${part}`;
}

export const ASK_STREAM = "ASK";
export const AUDIT_STREAM = "AUDIT";

export const buckets = { hosts: "hosts", policy: "policy", cursor: "cursor", always: "always" } as const;

/** The object stores: policy bundles, and events that are larger than the server's `max_payload`. */
export const objectStores = { policy: "policy", events: "events" } as const;

/** The key of the roster in the bucket `policy`. */
export const ROSTER_KEY = "roster";

/** The stream behind a bucket, and behind an object store. */
export function bucketStream(bucket: string): string {
  return `KV_${bucket}`;
}
export function objectStream(store: string): string {
  return `OBJ_${store}`;
}

export const subjects = {
  /** Events of a host. The last token is their class. */
  events: (host: string, cls: string) => subjects.eventsIn(partOf(host), host, cls),
  eventsIn: (part: string, host: string, cls: string) => `hl.ev.${part}.${host}.${cls}`,
  ofPart: (part: string) => subjects.eventsIn(part, "*", "*"),
  /** Events that a host gives straight to the fleet hub. No stream stores them. */
  direct: (host: string, cls: string) => subjects.directIn(partOf(host), host, cls),
  directIn: (part: string, host: string, cls: string) => `hl.now.${part}.${host}.${cls}`,
  directOfPart: (part: string) => subjects.directIn(part, "*", "*"),
  question: (host: string, id: string) => `hl.ask.${host}.${id}`,
  answer: (host: string, id: string) => `hl.ans.${host}.${id}`,
  /** A question that waits no longer. */
  ended: (host: string, id: string) => `hl.end.${host}.${id}`,
  control: (host: string, verb: string) => `hl.ctl.${host}.${verb}`,
  /** A host's answer to a control message. Under its own name, because a host may publish to no inbox. */
  reply: (host: string, id: string) => `hl.rep.${host}.${id}`,
  /** The events of a live tail, which nothing stores. `id` is the request's. */
  live: (host: string, id: string) => `hl.live.${host}.${id}`,
  audit: (kind: Kind, name: string, action: string) => `hl.audit.${kind}.${name}.${action}`,
  /** A key of a bucket. Puts go there, so a core subscription sees them as they happen. */
  key: (bucket: string, key: string) => `$KV.${bucket}.${key}`,
  /** What the server publishes when it has stored a message on `subject`: people and hosts do not hear each other directly. */
  told: (subject: string) => `hl.told.${subject}`,
  /** The chunks of one object. A host's objects begin with its name, so that its permissions cover them and no other host's. */
  chunks: (store: string, id: string) => `$O.${store}.C.${id}`,
  metadata: (store: string, name: string) => `$O.${store}.M.${name}`,
} as const;

/** Replies go there. Each credential has its own prefix: under a shared one, everyone would see the replies to everyone. */
export function inboxPrefix(kind: Kind, name: string): string {
  return `hl.in.${kind}.${name}`;
}

/** The id of the object that holds a large event: its chunks are on `subjects.chunks(objectStores.events, largeEventId(host, id))`. */
export function largeEventId(host: string, id: string): string {
  return `${host}.${id}`;
}
