import {
  ASK_STREAM,
  AUDIT_STREAM,
  allParts,
  bucketStream,
  buckets,
  eventStream,
  inboxPrefix,
  objectStores,
  objectStream,
  ROSTER_KEY,
  subjects,
} from "../nats/subjects.js";

/** `view` sees, `approve` also answers questions, `policy` also pushes policies, `admin` does everything. */
export const ROLES = ["view", "approve", "policy", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** What the server lets a credential do, in the words of its configuration. */
export interface Permissions {
  readonly publish: { readonly allow: readonly string[]; readonly deny?: readonly string[] };
  readonly subscribe: { readonly allow: readonly string[] };
}

export type Holder =
  | { readonly kind: "host"; readonly name: string }
  | { readonly kind: "hub"; readonly name: string }
  | { readonly kind: "person"; readonly name: string; readonly role: Role };

const API = "$JS.API";
/** Every message of a stream by direct get. */
const readAll = (stream: string): string[] => [`${API}.DIRECT.GET.${stream}`, `${API}.DIRECT.GET.${stream}.>`];
const readable = [...Object.values(buckets).map(bucketStream), objectStream(objectStores.policy), ASK_STREAM, AUDIT_STREAM].flatMap(
  readAll,
);
const look = [`${API}.INFO`, `${API}.STREAM.INFO.*`, `${API}.STREAM.NAMES`, `${API}.STREAM.LIST`, `${API}.CONSUMER.INFO.*.*`];
/** An update stays allowed: `fleet init --replicas` needs it. */
const removeAudit = ["DELETE", "PURGE", "MSG.DELETE", "RESTORE"].map((verb) => `${API}.STREAM.${verb}.${AUDIT_STREAM}`);
/** What people and fleet hubs may watch. Replies are not in it: everyone has an inbox of their own. */
const watched = ["hl.ask.*.*", "hl.ans.*.*", "hl.end.*.*", "hl.live.*.*", "hl.rep.*.*", "hl.audit.>", "$KV.>"];

export function permissionsOf(holder: Holder): Permissions {
  const inbox = `${inboxPrefix(holder.kind, holder.name)}.>`;
  if (holder.kind === "host") return ofHost(holder.name, inbox);
  const audit = subjects.audit(holder.kind, holder.name, ">");
  if (holder.kind === "hub") return ofHub(inbox, audit);
  return ofPerson(holder.role, inbox, audit);
}

/**
 * The server could let the receiver of a message answer it (`allow_responses`). That is off: a put to a bucket has a reply subject, too, and
 * a host that watches the bucket could forge the acknowledgement of an admin's put.
 */

/** A host publishes under its own name only, reads what is meant for it, and can neither create nor change a stream or a consumer. */
function ofHost(host: string, inbox: string): Permissions {
  const cursor = subjects.key(buckets.cursor, host);
  return {
    publish: {
      allow: [
        subjects.events(host, "*"),
        subjects.direct(host, "*"),
        subjects.question(host, "*"),
        subjects.ended(host, "*"),
        subjects.live(host, "*"),
        subjects.reply(host, "*"),
        subjects.key(buckets.hosts, host),
        subjects.chunks(objectStores.events, `${host}.*`),
        `${API}.INFO`,
        `${API}.DIRECT.GET.${bucketStream(buckets.cursor)}.${cursor}`,
        `${API}.DIRECT.GET.${ASK_STREAM}.${subjects.answer(host, "*")}`,
        ...[bucketStream(buckets.policy), bucketStream(buckets.always), objectStream(objectStores.policy)].flatMap(readAll),
      ],
    },
    subscribe: {
      allow: [
        inbox,
        subjects.control(host, "*"),
        subjects.answer(host, "*"),
        cursor,
        subjects.key(buckets.policy, ">"),
        subjects.key(buckets.always, ">"),
      ],
    },
  };
}

/** A fleet hub reads everything, confirms and removes events and passes on answers. It changes neither the policy nor the roster nor a stream's limits. */
function ofHub(inbox: string, audit: string): Permissions {
  const large = objectStream(objectStores.events);
  return {
    publish: {
      allow: [
        ...look,
        `${API}.CONSUMER.>`,
        `${API}.DIRECT.GET.>`,
        `${API}.STREAM.MSG.GET.*`,
        // An event is removed when it is stored.
        ...[large, ...allParts.map(eventStream)].map((stream) => `${API}.STREAM.PURGE.${stream}`),
        "$JS.ACK.>",
        "$JS.FC.>",
        subjects.key(buckets.cursor, "*"),
        subjects.key(buckets.always, ">"),
        subjects.control("*", "*"),
        subjects.answer("*", "*"),
        audit,
      ],
    },
    subscribe: { allow: [inbox, subjects.directOfPart("*"), ...watched] },
  };
}

function ofPerson(role: Role, inbox: string, audit: string): Permissions {
  const subscribe = { allow: [inbox, ...watched] };
  // Not even an admin speaks as a host, or deletes the audit.
  if (role === "admin")
    return { publish: { allow: [">"], deny: ["hl.ev.>", "hl.now.>", subjects.key(buckets.hosts, ">"), ...removeAudit] }, subscribe };
  const view = [...look, ...readable, subjects.control("*", "doctor"), subjects.control("*", "live"), audit];
  if (role === "view") return { publish: { allow: view }, subscribe };
  if (role === "approve") return { publish: { allow: [...view, subjects.answer("*", "*"), subjects.key(buckets.always, ">")] }, subscribe };
  const bundles = objectStores.policy;
  const write = [subjects.key(buckets.policy, ">"), subjects.chunks(bundles, ">"), subjects.metadata(bundles, ">")];
  return {
    publish: {
      // What is replaced is removed: a key takes no value beside those that it has.
      allow: [...view, ...write, ...[objectStream(bundles), bucketStream(buckets.policy)].map((stream) => `${API}.STREAM.PURGE.${stream}`)],
      deny: [subjects.key(buckets.policy, ROSTER_KEY)],
    },
    subscribe,
  };
}
