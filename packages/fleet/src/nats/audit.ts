import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type Kind, subjects } from "./subjects.js";

/** Whose credential the connection has: the server lets it write under this name only. */
export interface AuditActor {
  readonly kind: Kind;
  readonly name: string;
}

/** An entry of the stream `AUDIT`: the subject says who, the server says when. */
export interface AuditEntry {
  /** One token, such as `invited`. */
  readonly action: string;
  /** What it was done to, such as the name of a host. */
  readonly subject?: string;
  readonly details?: { readonly [field: string]: unknown };
}

/** Records what a person, hub or host did. Resolves when the server has stored it. */
export async function recordAudit(connection: NatsConnection, { kind, name }: AuditActor, entry: AuditEntry): Promise<void> {
  await jetstream(connection).publish(subjects.audit(kind, name, entry.action), JSON.stringify(entry));
}
