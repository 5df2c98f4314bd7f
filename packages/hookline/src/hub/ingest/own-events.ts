import { hostname } from "node:os";
import { createBus, HookError, type SessionRef } from "@hookline/core";
import { approvalEventId, createEnvelope, summarizePayload } from "@hookline/core/internal";
import { backoffDelay } from "@hookline/core/internal/wire";
import { connectSink, type Envelope, type EnvelopeSource } from "@hookline/core/sinks";
import type { RuleNotice } from "../../rules/actions.js";
import type { RuleShadow } from "../../rules/register-rules.js";
import { hashOf } from "../approvals/hash-of.js";
import type { Ingest } from "../parts.js";
import { toolIn } from "../store/row.js";
import type { Store } from "../store/store.js";
import { isRefusal } from "./accept.js";
import type { EventPreparer } from "./event-preparer.js";
import { newId } from "./new-id.js";
import { HUB_APP } from "./own-source.js";

const EVENT = "notification:sent";
/** Tells what a rule with `mode = "shadow"` would have said. */
export const SHADOW_EVENT = "rule:shadow";
const MAX_ABOUT = 500;
/** Questions and answers that wait for a store that fails. */
const MAX_WAITING = 1_000;
const RETRY = { baseMs: 100, maxMs: 5_000 };

export interface OwnEvents {
  notify(notice: RuleNotice): void;
  /** What a rule in the shadow would have said. */
  shadow(shadow: RuleShadow): void;
  /** Something that happened in the hub itself. */
  tell(event: string, payload: object): void;
  /** The same for what must not happen unless it is on record: resolves when it is on disk, rejects as the store does. */
  record(event: string, payload: { readonly session: { readonly id: string } }): Promise<void>;
  /**
   * The question of an approval, or its answer. Tried again until it is on disk. The process that asks may report it under the same id, and
   * the store keeps one; the question that the hub showed, and the answer of a person or of the policy, are kept even if a process has reported another. `source`: the process that asks; default the hub.
   */
  approval(event: ApprovalEvent, payload: ApprovalPayload, source?: EnvelopeSource): void;
  close(): Promise<void>;
}

type ApprovalEvent = "approval:requested" | "permission:replied";

interface ApprovalPayload {
  readonly session?: SessionRef;
  readonly approval: {
    readonly id: string;
    readonly cause?: string;
    /** No answer was recorded, and the hub takes it that none will be. A real answer has another id, and counts instead. */
    readonly isPresumed?: true;
  };
}

interface OwnEventsParts {
  readonly ingest: Ingest;
  readonly preparer: Pick<EventPreparer, "line">;
  readonly store: Pick<Store, "get">;
}

/** What rules and the hub itself have to tell becomes an event like any other: stored, shown live and passed on by the sinks. */
export function createOwnEvents({ ingest, preparer, store }: OwnEventsParts, onError: (error: HookError) => void): OwnEvents {
  const bus = createBus({ source: HUB_APP, enabled: true, onError });
  const connection = connectSink(bus, {
    name: "own-events",
    async send(batch) {
      const accepted = batch.map((envelope) => ingest.acceptOwn(envelope)).flatMap((result) => (isRefusal(result) ? [] : [result]));
      await ingest.append(accepted);
      return { status: "sent" };
    },
    close: async () => {},
  });
  const own: EnvelopeSource = { host: hostname(), pid: process.pid, ...(bus.source as Pick<EnvelopeSource, "app" | "instance">) };

  function envelopeOf(id: string, event: string, payload: { readonly session?: SessionRef }, source = own): Envelope {
    return createEnvelope({ id, at: new Date().toISOString(), event, source, session: payload.session, payload });
  }

  /** False if there is an event with that id. */
  async function put(envelope: Envelope): Promise<boolean> {
    const line = await preparer.line(envelope);
    const accepted =
      envelope.source.instance === own.instance ? ingest.acceptOwn(envelope, line) : ingest.acceptMade(line, ingest.hubOrigin);
    if (isRefusal(accepted)) throw new HookError("HL_BAD_REQUEST", `It cannot be recorded, and is not done: ${accepted.reason}`);
    return (await ingest.append([accepted])).stored === 1;
  }

  async function putApproval(envelope: Envelope): Promise<void> {
    try {
      if (await put(envelope)) return;
    } catch (error) {
      // Tried again, it would be refused again.
      if (error instanceof HookError && error.code === "HL_BAD_REQUEST") return onError(error);
      throw error;
    }
    const told = approvalIn(envelope);
    if (told.cause !== undefined) return;
    const known = approvalIn(JSON.parse((await store.get(envelope.id))?.body ?? "{}"));
    const isSame = envelope.event === "approval:requested" ? isSameQuestion(known, told) : isSameAnswer(known, told);
    if (!isSame) await put({ ...envelope, id: `hub-${envelope.id}` });
  }

  const approvals = createRetries(putApproval, onError);

  return {
    notify({ rule, message, event, session, payload }) {
      // A rule for every event would tell of its own telling without end.
      if (event === EVENT) return;
      const tool = toolIn(payload);
      bus.emitSync(EVENT, {
        message,
        rule,
        event,
        ...(session !== undefined && { session }),
        ...(tool !== undefined && { target: tool }),
      });
    },
    shadow({ rule, do: action, message, event, session, payload }) {
      if (event === SHADOW_EVENT) return;
      const tool = toolIn(payload);
      bus.emitSync(SHADOW_EVENT, {
        rule,
        would: action,
        about: summarizePayload(payload).slice(0, MAX_ABOUT),
        event,
        ...(message !== undefined && { message }),
        ...(session !== undefined && { session }),
        ...(tool !== undefined && { target: tool }),
      });
    },
    tell: (event, payload) => bus.emitSync(event, payload),
    async record(event, payload) {
      await put(envelopeOf(newId(), event, payload));
    },
    approval(event, payload, source) {
      const { id, isPresumed = false } = payload.approval;
      const eventId = isPresumed ? presumedReplyId(id) : approvalEventId(event, id);
      approvals.add(envelopeOf(eventId ?? newId(), event, payload, source));
    },
    async close() {
      await approvals.close();
      await connection.close();
    },
  };
}

/** The id of the event that tells of a reply that the hub presumes. */
export function presumedReplyId(approvalId: string): string {
  return `presumed-${approvalId}`;
}

interface ApprovalTold {
  readonly event?: unknown;
  readonly payload?: unknown;
  readonly hash?: unknown;
  readonly verdict?: unknown;
  readonly cause?: unknown;
  readonly actor?: { readonly kind?: unknown; readonly name?: unknown };
}

function approvalIn({ payload }: Partial<Envelope>): ApprovalTold {
  return ((Object(payload) as { readonly approval?: ApprovalTold | null }).approval ?? {}) as ApprovalTold;
}

/** A process does not report a hash. Where it redacts what it reports, its question is another. */
function isSameQuestion({ event, payload, hash }: ApprovalTold, told: ApprovalTold): boolean {
  return hash === told.hash || hashOf(String(event), payload) === told.hash;
}

function isSameAnswer({ verdict, actor }: ApprovalTold, told: ApprovalTold): boolean {
  return verdict === told.verdict && actor?.kind === told.actor?.kind && actor?.name === told.actor?.name;
}

/** Puts each envelope at once. If the store fails, the envelope and all later ones wait and are tried again in order. */
function createRetries(put: (envelope: Envelope) => Promise<void>, onError: (error: HookError) => void) {
  const underWay = new Set<Promise<void>>();
  let waiting: { readonly order: number; readonly envelope: Envelope }[] = [];
  let [order, failures, isClosed] = [0, 0, false];
  let timer: NodeJS.Timeout | undefined;

  async function attempt(batch: typeof waiting): Promise<void> {
    for (const [index, { envelope }] of batch.entries()) {
      try {
        await put(envelope);
      } catch (error) {
        if (failures++ === 0) onError(asHookError(error));
        waiting = [...batch.slice(index), ...waiting].sort((a, b) => a.order - b.order);
        break;
      }
    }
    if (waiting.length === 0) failures = 0;
    else if (!isClosed) timer ??= setTimeout(retry, backoffDelay(failures, RETRY)).unref();
  }

  function retry(): void {
    timer = undefined;
    follow(attempt(waiting.splice(0)));
  }

  function follow(work: Promise<void>): void {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  }

  return {
    add(envelope: Envelope): void {
      const entry = { order: order++, envelope };
      if (failures === 0) follow(attempt([entry]));
      else if (waiting.length < MAX_WAITING) waiting.push(entry);
      else onError(new HookError("HL_STORE_FAILED", `An approval is not recorded: ${MAX_WAITING} others wait for the store.`));
    },
    /** Tries once more what waits. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await Promise.all(underWay);
      await attempt(waiting.splice(0));
      if (waiting.length > 0)
        onError(new HookError("HL_STORE_FAILED", `${waiting.length} questions and answers of approvals are not recorded.`));
    },
  };
}

function asHookError(error: unknown): HookError {
  return error instanceof HookError ? error : new HookError("HL_STORE_FAILED", "An approval could not be recorded.", { cause: error });
}
