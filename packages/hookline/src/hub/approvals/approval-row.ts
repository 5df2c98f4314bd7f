import { createHash } from "node:crypto";
import type { ApprovalRequest, Ask } from "@hookline/core";
import type { EnvelopeSource } from "@hookline/core/sinks";
import type { EventPreparer } from "../ingest/event-preparer.js";
import type { PendingApproval } from "../protocol.js";
import { pinsOf } from "./always-allow.js";
import { hashOf } from "./hash-of.js";

/** The longest wait, whatever a process says. */
const MAX_WAIT_MS = 24 * 3_600_000;
const MAX_ASKS = 20;
/** What a guard says beyond this is cut: a person reads the call itself, whole, and the words about it up to here. */
const MAX_TEXT = 4_000;
const MAX_ID = 256;

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
  /** If its connection is lost, it asks again over the next one, under the same id: that alone does not end its questions. */
  readonly asksAgain?: true;
}

/** A question as people see it. */
export function approvalRow(
  request: ApprovalRequest,
  { source, cwd, asked, until = Number.POSITIVE_INFINITY, eventId = request.eventId }: Asker,
): PendingApproval {
  const { id, event, payload, session, reason, by, actor, asks, expiresAt } = request;
  const hash = hashOf(event, payload);
  const now = Date.now();
  const pins = pinsOf(payload);
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
    ...(session !== undefined && { session: sessionOf(session) }),
    ...(source !== undefined && { source }),
    ...(cwd !== undefined && { cwd }),
    ...(reason !== undefined && { reason: cut(reason) }),
    ...(asks.length > 1 && { asks: asks.slice(0, MAX_ASKS).map(askOf) }),
    ...(asked !== undefined && hashOf(event, asked) !== hash && { asked }),
    ...(pins !== undefined && { pins }),
  };
}

function askOf({ by, actor, reason }: Ask) {
  return { by, actor, ...(reason !== undefined && { reason: cut(reason) }) };
}

function sessionOf({ id, parentId }: NonNullable<ApprovalRequest["session"]>) {
  return { id: id.slice(0, MAX_ID), ...(parentId !== undefined && { parentId: parentId.slice(0, MAX_ID) }) };
}

/** With a hash of the whole: what is allowed for good depends on the words, also on those after the cut. */
function cut(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 32);
  return `${text.slice(0, MAX_TEXT)}… (cut here: ${text.length.toLocaleString("en")} characters, SHA-256 ${hash})`;
}

/** The question as those see it who may not see secrets. */
export async function withoutSecrets(row: PendingApproval, preparer: Pick<EventPreparer, "value">): Promise<PendingApproval> {
  // Guards like to quote what they ask about.
  const { payload, asked, reason, asks } = row;
  const entries = Object.entries({ payload, asked, reason, asks }).filter(([, value]) => value !== undefined);
  const shown = await Promise.all(entries.map(async ([key, value]) => [key, await preparer.value(value)]));
  return { ...row, ...Object.fromEntries(shown) };
}
