import { headers, type MsgHdrs } from "@nats-io/transport-node";

/**
 * How the events of a host travel: in the order of the host's store, small ones several to a message. Each message names the store and two
 * positions: its own, and the one up to which everything has been sent before it. A reader that has got as far as `previous` has missed nothing.
 */
export interface EventMessage {
  readonly kind: EventKind;
  /** The id of the host's store. */
  readonly store: string;
  readonly previous: number;
  readonly position: number;
  /** `event`: the envelope as it is stored. `events`: one in each line. `large`: a pointer as JSON. */
  readonly body: string;
}

/**
 * The last token of the subject. `events`: those of all positions after `previous`, up to and including `position`. `gap`: retention has removed the events after `previous`, up to and including `position`. `skip`: nothing of
 * these positions is for the fleet; with two equal positions it only asks whether everything before it has arrived.
 */
type EventKind = "event" | "events" | "large" | "gap" | "skip";

const KINDS: ReadonlySet<string> = new Set<EventKind>(["event", "events", "large", "gap", "skip"]);
const HEADER = "Hl-At";
const FORM = /^([0-9a-f]{32}) (\d{1,15}) (\d{1,15})$/;
const BATCH = { id: "Nats-Batch-Id", sequence: "Nats-Batch-Sequence", commit: "Nats-Batch-Commit" } as const;
/** The headers with every field at its longest, and the protocol's own line. */
export const OVERHEAD_BYTES = 1024;

/** Where a message is in its atomic batch. */
export interface BatchPlace {
  readonly id: string;
  readonly sequence: number;
  readonly isLast: boolean;
}

export function headersOf({ store, previous, position }: EventMessage, batch?: BatchPlace): MsgHdrs {
  const fields = headers();
  fields.set(HEADER, `${store} ${previous} ${position}`);
  if (batch === undefined) return fields;
  fields.set(BATCH.id, batch.id);
  fields.set(BATCH.sequence, String(batch.sequence));
  if (batch.isLast) fields.set(BATCH.commit, "1");
  return fields;
}

/** A message as it comes from a stream, or straight from a host. */
export interface Received {
  readonly subject: string;
  readonly headers?: MsgHdrs | undefined;
  readonly data: Uint8Array;
}

/** The message and the host whose credential published it; `undefined` for a message that is not one. */
export function readMessage({ subject, headers: fields, data }: Received): (EventMessage & { readonly host: string }) | undefined {
  const [, , , host = "", kind = "", ...more] = subject.split(".");
  const [, store = "", previous, position] = FORM.exec(fields?.get(HEADER) ?? "") ?? [];
  if (host === "" || more.length > 0 || !isKind(kind) || store === "") return undefined;
  const [from, to] = [Number(previous), Number(position)];
  const isOrdered = kind === "skip" ? from <= to : from < to;
  return isOrdered ? { host, kind, store, previous: from, position: to, body: decoder.decode(data) } : undefined;
}

const decoder = new TextDecoder();

function isKind(text: string): text is EventKind {
  return KINDS.has(text);
}
