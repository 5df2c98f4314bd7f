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
  partOf,
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
/** A live tail, and answers to control messages. */
const fromHosts = [subjects.live("*", "*"), subjects.reply("*", "*")];
/** What admins and fleet hubs may watch. Replies are not in it: everyone has an inbox of their own. */
const watched = ["hl.ask.*.*", "hl.ans.*.*", "hl.end.*.*", ...fromHosts, "hl.audit.>", "$KV.>"];

/** What an account shares with another one of its tenant: where its users may publish, and what they may read. */
export interface Shared {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * The server checks where a credential publishes, and not where its own reply to that goes. In the account with the streams, the reply to any
 * message can be a request to delete a stream, or what a person wrote under another name. So only those who may do that have their
 * credentials there: fleet hubs and admins. Hosts have an account of their own, and so has each other role. A reply stays in the account of the
 * request; what leads on from there are these subjects.
 */
export function hostsShare(): Shared {
  const { publish, subscribe } = ofHost("*", { part: "*", inbox: [] });
  return { publish: publish.allow, subscribe: subscribe.allow };
}

export type GuestRole = Exclude<Role, "admin">;
export const guestRoles: readonly GuestRole[] = ROLES.filter((role) => role !== "admin");

/** With the account of the streams, and with that of the hosts. */
export function peopleShare(role: GuestRole): { readonly streams: Shared; readonly hosts: Shared } {
  const { publish, subscribe } = ofPerson(role, [], subjects.audit("person", "*", ">"));
  const isControl = (subject: string): boolean => subject.startsWith(subjects.control("*", ""));
  return {
    streams: { publish: publish.allow.filter((subject) => !isControl(subject)), subscribe: [] },
    hosts: { publish: publish.allow.filter(isControl), subscribe: subscribe.allow },
  };
}

export function permissionsOf(holder: Holder): Permissions {
  const inbox = [`${inboxPrefix(holder.kind, holder.name)}.>`];
  if (holder.kind === "host") return ofHost(holder.name, { part: partOf(holder.name), inbox });
  if (holder.kind === "hub") return ofHub(inbox, auditOf(holder));
  return ofPerson(holder.role, inbox, auditOf(holder));
}

function auditOf({ kind, name }: Holder): string {
  return subjects.audit(kind, name, ">");
}

/**
 * The server could let the receiver of a message answer it (`allow_responses`). That is off: a put to a bucket has a reply subject, too, and
 * a host that watches the bucket could forge the acknowledgement of an admin's put.
 */

/** A host publishes under its own name only, reads what is meant for it, and can neither create nor change a stream or a consumer. */
function ofHost(host: string, { part, inbox }: { readonly part: string; readonly inbox: readonly string[] }): Permissions {
  const cursor = subjects.key(buckets.cursor, host);
  return {
    publish: {
      allow: [
        subjects.eventsIn(part, host, "*"),
        subjects.directIn(part, host, "*"),
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
        ...inbox,
        subjects.control(host, "*"),
        cursor,
        subjects.told(subjects.answer(host, "*")),
        subjects.told(subjects.key(buckets.policy, ">")),
        subjects.told(subjects.key(buckets.always, ">")),
      ],
    },
  };
}

/** A fleet hub reads everything, confirms and removes events and passes on answers. It changes neither the policy nor the roster nor a stream's limits. */
function ofHub(inbox: readonly string[], audit: string): Permissions {
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
    subscribe: { allow: [...inbox, subjects.directOfPart("*"), ...watched] },
  };
}

function ofPerson(role: Role, inbox: readonly string[], audit: string): Permissions {
  const subscribe = { allow: [...inbox, ...(role === "admin" ? watched : fromHosts)] };
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
