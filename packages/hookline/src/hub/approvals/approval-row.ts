import { randomInt } from "node:crypto";
import type { ApprovalRequest } from "@hookline/core";
import type { EnvelopeSource } from "@hookline/core/sinks";
import type { PendingApproval } from "../protocol.js";
import { hashOf } from "./hash-of.js";

/** Nobody waits longer, whatever a process says. */
const MAX_WAIT_MS = 24 * 3_600_000;
const MAX_ASKS = 20;
/** Without those that look alike: it is typed in a terminal. */
const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const ID_LENGTH = 10;

/** Whose question it is, and what was asked for before any guard rewrote it. */
export interface Asker {
  readonly source?: EnvelopeSource;
  /** The folder it is in; without it the payload says so, or nobody does. */
  readonly cwd?: string | undefined;
  readonly asked?: unknown;
}

/** A question as people see it. Its id is the hub's own: a process could give one twice, and swap what an answer is for. */
export function approvalRow(request: ApprovalRequest, { source, cwd, asked }: Asker): PendingApproval {
  const { event, payload, session, reason, by, asks, expiresAt } = request;
  const hash = hashOf(event, payload);
  const now = Date.now();
  return {
    id: newApprovalId(),
    event,
    payload,
    hash,
    by,
    askedAt: now,
    expiresAt: Math.min(Math.max(expiresAt, now), now + MAX_WAIT_MS),
    ...(session !== undefined && { session }),
    ...(source !== undefined && { source }),
    ...(cwd !== undefined && { cwd }),
    ...(reason !== undefined && { reason }),
    ...(asks.length > 1 && { asks: asks.slice(0, MAX_ASKS).map(askOf) }),
    ...(asked !== undefined && hashOf(event, asked) !== hash && { asked }),
  };
}

function askOf({ by, reason }: ApprovalRequest["asks"][number]) {
  return { by, ...(reason !== undefined && { reason }) };
}

function newApprovalId(): string {
  return Array.from({ length: ID_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}
