import { HookError } from "@hookline/core";
import { approvalEventId, isApprovalId, replyOf } from "@hookline/core/internal";
import type { Envelope, EnvelopeSource } from "@hookline/core/sinks";
import { type OwnEvents, presumedReplyId } from "../ingest/own-events.js";
import { HUB_APP, ownIdOf } from "../ingest/own-source.js";
import type { Arrival } from "../parts.js";
import type { Store } from "../store/store.js";

/** A process that lost its connection keeps its questions for 10 s, and what it left in the spool takes a moment to read. */
const GRACE_MS = 15_000;
const PERIOD_MS = 1_000;
const MAX_OPEN = 10_000;
/** The questions of earlier runs are read in pages of this size when the hub starts. */
const PAGE = 200;

interface Open {
  /** The process that waits. */
  readonly instance: string;
  /** The place of its report in the store. */
  readonly askedAt: number;
  /** The question was asked at a hub that ran before this one. */
  readonly isOfEarlierHub: boolean;
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
  /** Whether a person can still answer it here. */
  readonly isWaiting: (approvalId: string) => boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Records a reply to an approval that gets none because its process, or hub, is gone: `permission:replied` with `HL_CANCELLED` and `isPresumed`.
 * The hub cannot know whether the process still runs without a connection. So this reply has an id of its own, and if the process reports
 * the real one after all, that is stored as well and counts instead.
 */
export function closeUnanswered({ store, tell, isConnected, isWaiting, onError }: UnansweredOptions) {
  const open = new Map<string, Open>();
  let timer: NodeJS.Timeout | undefined;

  function add(envelope: Envelope, place: number): void {
    const found = openIn(envelope, place, false);
    if (found !== undefined) follow(found);
  }

  function follow(found: Open): void {
    if (open.size >= MAX_OPEN) return;
    // The first to report a question is the process that asks it; another that reports the same id must not end it.
    const known = open.get(found.approval.id);
    if (known !== undefined && known.askedAt <= found.askedAt) return;
    found.wasConnected = isConnected(found.instance);
    open.set(found.approval.id, found);
    timer ??= setInterval(check, PERIOD_MS).unref();
  }

  /** A reply ends a question if it comes from the hub or from the process that asked. */
  function end(reply: Envelope): void {
    const id = approvalIn(reply)?.id as string;
    if (reply.source.app === HUB_APP || reply.source.instance === open.get(id)?.instance) open.delete(id);
  }

  function check(): void {
    const now = Date.now();
    for (const [id, question] of open) {
      if (isConnected(question.instance)) {
        question.seenAt = now;
        question.wasConnected = true;
      }
      if (isOver(question, now) && !isWaiting(id)) {
        open.delete(id);
        void presume(question).catch(onError);
      }
    }
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** By the hub or by the process that asked: any other can have stored an event under that id. */
  async function isAnswered({ approval: { id }, instance }: Open): Promise<boolean> {
    const reply = approvalEventId("permission:replied", id) ?? "";
    const stored = await Promise.all([reply, ownIdOf(instance, reply), presumedReplyId(id)].map((known) => store.get(known)));
    return stored.some((event) => {
      const { source } = JSON.parse(event?.body ?? "{}") as Partial<Envelope>;
      return source !== undefined && (source.app === HUB_APP || source.instance === instance);
    });
  }

  async function presume(question: Open): Promise<void> {
    const { session, approval } = question;
    // A store that failed in between may have taken the answer before the question.
    if (await isAnswered(question)) return;
    const reply = replyOf(approval, new HookError("HL_CANCELLED", "No answer was recorded, and the process that asked is not connected."));
    tell("permission:replied", { ...(session !== undefined && { session }), approval: { ...reply, isPresumed: true } });
  }

  async function addEarlier(): Promise<void> {
    for (let before: number | undefined, isLast = false; !isLast; ) {
      const page = await store.page({ events: ["approval:requested"] }, { limit: PAGE, ...(before !== undefined && { before }) });
      await Promise.all(page.events.map(({ place, body, host }) => host == null && addStored(JSON.parse(body) as Envelope, place)));
      before = page.cursor;
      isLast = before === undefined;
    }
  }

  async function addStored(envelope: Envelope, place: number): Promise<void> {
    const found = openIn(envelope, place, true);
    // Version 1 reports a question under two ids, and its replies have ids of their own.
    if (envelope.v === 2 && found !== undefined && !(await isAnswered(found))) follow(found);
  }

  const adding = addEarlier().catch(onError);
  return {
    /** Sees what is stored. */
    see(arrivals: readonly Arrival[]): void {
      for (const { envelope, place } of arrivals) {
        if (envelope.event === "approval:requested") add(envelope, place);
        else if (envelope.event === "permission:replied" && open.size > 0) end(envelope);
      }
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await adding;
      clearInterval(timer);
    },
  };
}

function openIn(envelope: Envelope, place: number, isEarlier: boolean): Open | undefined {
  const { id, event, eventId, expiresAt, source, at } = approvalIn(envelope) ?? {};
  if (!isApprovalId(id) || typeof event !== "string") return undefined;
  // A report of the hub's names the process that asks.
  const { instance } = (envelope.source.app === HUB_APP ? Object(source) : envelope.source) as Partial<EnvelopeSource>;
  return {
    instance: typeof instance === "string" ? instance : "",
    askedAt: place,
    isOfEarlierHub: isEarlier && at === "hub",
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

/**
 * Whether no reply is to be expected. One that was asked at a hub is given up without it. A process that never had a connection here reports
 * over the spool, and may still wait: until its time is up.
 */
function isOver({ seenAt, wasConnected, isOfEarlierHub, expiresAt }: Open, now: number): boolean {
  if (now > expiresAt + GRACE_MS) return true;
  return now - seenAt >= GRACE_MS && (wasConnected || isOfEarlierHub);
}
