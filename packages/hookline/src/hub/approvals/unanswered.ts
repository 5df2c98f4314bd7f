import { hostname } from "node:os";
import { HookError } from "@hookline/core";
import { replyEventId, replyOf } from "@hookline/core/internal";
import type { Envelope, EnvelopeSource } from "@hookline/core/sinks";
import type { OwnEvents } from "../ingest/own-events.js";
import { HUB_APP } from "../ingest/own-source.js";
import type { Arrival } from "../parts.js";
import type { Store } from "../store/store.js";

/** A process that lost its connection keeps its questions for 10 s, and what it left in the spool takes a moment to read. */
const GRACE_MS = 15_000;
const PERIOD_MS = 1_000;
const MAX_OPEN = 10_000;
/** The questions of earlier runs that are looked at when the hub starts. */
const MAX_EARLIER = 200;

interface Open {
  readonly source: EnvelopeSource;
  readonly session: Envelope["session"];
  readonly approval: { readonly id: string; readonly event: string; readonly eventId: string };
  readonly expiresAt: number;
  /** The last time that the process was connected, or else when the question was found. */
  seenAt: number;
  wasConnected: boolean;
}

export interface UnansweredOptions {
  readonly store: Pick<Store, "page" | "get">;
  readonly tell: OwnEvents["approval"];
  readonly isConnected: (instance: string) => boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Records the reply to an approval whose process, or hub, is gone: `permission:replied` with `HL_CANCELLED`. Every approval on record has
 * one reply in the end; if the process does report it after all, the event has the same id.
 */
export function closeUnanswered({ store, tell, isConnected, onError }: UnansweredOptions) {
  const open = new Map<string, Open>();
  let timer: NodeJS.Timeout | undefined;

  function add(envelope: Envelope, isEarlier: boolean): void {
    const found = openIn(envelope);
    // The questions that this hub itself reports end with their request.
    if (found === undefined || (!isEarlier && envelope.source.app === HUB_APP) || open.size >= MAX_OPEN) return;
    open.set(found.approval.id, found);
    timer ??= setInterval(check, PERIOD_MS).unref();
  }

  function check(): void {
    const now = Date.now();
    for (const [id, question] of open) {
      if (isConnected(question.source.instance)) {
        question.seenAt = now;
        question.wasConnected = true;
      } else if (now - question.seenAt >= GRACE_MS && isOver(question, now)) {
        open.delete(id);
        const { session, approval } = question;
        const reply = replyOf(approval, new HookError("HL_CANCELLED", "The process that asked was gone before an answer was recorded."));
        tell("permission:replied", { ...(session !== undefined && { session }), approval: reply });
      }
    }
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  async function addEarlier(): Promise<void> {
    const { events } = await store.page({ events: ["approval:requested"] }, { limit: MAX_EARLIER });
    for (const { body } of events) {
      const envelope = JSON.parse(body) as Envelope;
      const id = replyEventId(approvalIn(envelope)?.id);
      // Version 1 reports a question under two ids, and its replies have ids of their own.
      if (envelope.v === 2 && id !== undefined && (await store.get(id)) === undefined) add(envelope, true);
    }
  }

  const adding = addEarlier().catch(onError);
  return {
    /** Sees what is stored. */
    see(arrivals: readonly Arrival[]): void {
      for (const { envelope } of arrivals) {
        if (envelope.event === "approval:requested") add(envelope, false);
        else if (envelope.event === "permission:replied" && open.size > 0) open.delete(approvalIn(envelope)?.id as string);
      }
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await adding;
      clearInterval(timer);
    },
  };
}

function openIn(envelope: Envelope): Open | undefined {
  const { id, event, eventId, expiresAt } = approvalIn(envelope) ?? {};
  if (typeof id !== "string" || replyEventId(id) === undefined || typeof event !== "string") return undefined;
  return {
    source: envelope.source,
    session: envelope.session,
    approval: { id, event, eventId: typeof eventId === "string" ? eventId : "" },
    expiresAt: typeof expiresAt === "number" ? expiresAt : Number.POSITIVE_INFINITY,
    seenAt: Date.now(),
    wasConnected: false,
  };
}

function approvalIn({ payload }: Envelope): { readonly [key: string]: unknown } | undefined {
  const { approval } = Object(payload) as { readonly approval?: unknown };
  return typeof approval === "object" && approval !== null ? (approval as { readonly [key: string]: unknown }) : undefined;
}

/** Whether no reply can come any more. A process that never had a connection reports over HTTP or the spool, and may still be there. */
function isOver({ source: { app, host, pid }, wasConnected, expiresAt }: Open, now: number): boolean {
  if (wasConnected || app === HUB_APP || now > expiresAt + GRACE_MS) return true;
  return host === hostname() && pid > 0 && !isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
