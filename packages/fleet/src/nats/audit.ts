import { errorText, HookError } from "@hookline/core/internal/machine";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { FleetAuditEntry } from "hookline/internal/fleet";
import { readStream } from "./read-stream.js";
import { AUDIT_STREAM, type Kind, subjects } from "./subjects.js";
import { whileReloading } from "./while-reloading.js";

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
  try {
    await whileReloading(() => jetstream(connection).publish(subjects.audit(kind, name, entry.action), JSON.stringify(entry)));
  } catch (cause) {
    // A full stream refuses. An answer, for example, is with its host by then.
    const text = `The audit took no entry "${entry.action}": ${errorText(cause).replace(/\.$/, "")}. What was done before it counts.`;
    throw new HookError("HL_FLEET_SERVER", text, { fix: { run: "hookline fleet doctor" }, cause });
  }
}

/** The entries of the audit, oldest first; with a limit the last ones. */
export async function readAudit(connection: NatsConnection, limit?: number): Promise<readonly FleetAuditEntry[]> {
  const found: FleetAuditEntry[] = [];
  const from = limit === undefined ? 1 : Math.max(1, (await lastOf(connection)) - limit + 1);
  for await (const { subject, data, time } of readStream(connection, AUDIT_STREAM, undefined, from)) {
    const [, , kind = "", name = "", action = ""] = subject.split(".");
    const facts = factsIn(data);
    const at = time.toISOString();
    // Every credential can let the server's reply to its own message go to any subject. No entry of ours looks like a reply.
    if (facts.action === action) found.push({ at, kind, name, action, facts });
    else found.push({ at, kind: "unknown", name: "-", action: "not-an-entry", facts: { subject } });
  }
  return found;
}

async function lastOf(connection: NatsConnection): Promise<number> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  return (await manager.streams.info(AUDIT_STREAM)).state.last_seq;
}

function factsIn(data: Uint8Array): FleetAuditEntry["facts"] {
  try {
    return Object(JSON.parse(new TextDecoder().decode(data))) as FleetAuditEntry["facts"];
  } catch {
    return {};
  }
}
