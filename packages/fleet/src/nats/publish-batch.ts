import { HookError } from "@hookline/core/internal/machine";
import { type NatsConnection, nuid } from "@nats-io/transport-node";
import { type EventMessage, headersOf } from "./event-message.js";
import { subjects } from "./subjects.js";

/** In a cluster, no answer comes if the leader of the stream is gone. A batch that was stored after all is only stored once. */
const TIMEOUT_MS = { first: 1500, most: 10_000 };
const STORE_FAILED = 10077;

/** The server did not store a batch. */
export class RefusedBatch extends HookError {
  /** The stream has no room: the host keeps the events. */
  readonly isFull: boolean;

  constructor(code: number, description: string) {
    super("HL_FLEET_SERVER", `The fleet's server refused a batch of events: ${description} (${code}).`, {
      fix: { run: "hookline fleet doctor" },
    });
    this.isFull = code === STORE_FAILED;
  }
}

interface Answer {
  readonly error?: { readonly err_code?: number; readonly description?: string };
  readonly count?: number;
}

/**
 * Publishes events of a host as one atomic batch: the server stores all of them or none, with one wait for its disk. The client library's own
 * batches wait for two answers and do not tell why a batch was refused. `failures`: how many attempts before this one failed. After three, each waits longer.
 */
export async function publishBatch(
  connection: NatsConnection,
  host: string,
  messages: readonly EventMessage[],
  failures = 0,
): Promise<void> {
  const timeout = Math.min(TIMEOUT_MS.most, TIMEOUT_MS.first * 2 ** Math.max(0, failures - 2));
  const id = nuid.next();
  const last = messages.length - 1;
  // The part of a host is a hash: once for a batch.
  const subjectOf = new Map<string, string>();
  for (const { kind } of messages) if (!subjectOf.has(kind)) subjectOf.set(kind, subjects.events(host, kind));
  for (const [index, message] of messages.entries()) {
    const headers = headersOf(message, { id, sequence: index + 1, isLast: index === last });
    const subject = subjectOf.get(message.kind) ?? "";
    if (index < last) connection.publish(subject, message.body, { headers });
    else check((await connection.request(subject, message.body, { headers, timeout })).json<Answer>(), messages.length);
  }
}

/** Gives events of a host straight to the fleet hub. Nothing answers: the fleet hub confirms what it has stored. */
export function publishDirectly(connection: NatsConnection, host: string, messages: readonly EventMessage[]): void {
  for (const message of messages) connection.publish(subjects.direct(host, message.kind), message.body, { headers: headersOf(message) });
}

function check({ error, count }: Answer, wanted: number): void {
  if (error !== undefined) throw new RefusedBatch(error.err_code ?? 0, error.description ?? "no reason given");
  if (count !== wanted) throw new RefusedBatch(0, `it stored ${count ?? 0} of ${wanted} events`);
}
