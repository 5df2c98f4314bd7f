import type { ApprovalRequest, Ask } from "@hookline/core";
import type { EnvelopeSource } from "@hookline/core/sinks";
import type { PendingApproval } from "../protocol.js";
import { hashOf } from "./hash-of.js";

/** The longest wait, whatever a process says. */
const MAX_WAIT_MS = 24 * 3_600_000;
const MAX_ASKS = 20;

/** Whose question it is, and what was asked for before any guard rewrote it. */
export interface Asker {
  readonly source?: EnvelopeSource;
  /** The folder it is in; without it the payload says so, or it is unknown. */
  readonly cwd?: string | undefined;
  readonly asked?: unknown;
  /** When those that ask give up. Milliseconds since 1970. */
  readonly until?: number;
  /** The id under which the event is stored, where the bus that asks has another. */
  readonly eventId?: string;
  /** The bus that asks tells of its questions itself: here only the answers of people are told of. */
  readonly tellsOfQuestions?: true;
}

/** A question as people see it. */
export function approvalRow(
  request: ApprovalRequest,
  { source, cwd, asked, until = Number.POSITIVE_INFINITY, eventId = request.eventId }: Asker,
): PendingApproval {
  const { id, event, payload, session, reason, by, actor, asks, expiresAt } = request;
  const hash = hashOf(event, payload);
  const now = Date.now();
  return {
    id,
    event,
    eventId,
    payload,
    hash,
    by,
    actor,
    askedAt: now,
    expiresAt: Math.min(Math.max(Math.min(expiresAt, until), now), now + MAX_WAIT_MS),
    ...(session !== undefined && { session }),
    ...(source !== undefined && { source }),
    ...(cwd !== undefined && { cwd }),
    ...(reason !== undefined && { reason }),
    ...(asks.length > 1 && { asks: asks.slice(0, MAX_ASKS).map(askOf) }),
    ...(asked !== undefined && hashOf(event, asked) !== hash && { asked }),
  };
}

function askOf({ by, actor, reason }: Ask) {
  return { by, actor, ...(reason !== undefined && { reason }) };
}
