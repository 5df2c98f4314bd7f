import { hostname } from "node:os";
import { createBus, HookError, type SessionRef } from "@hookline/core";
import { createEnvelope, replyEventId } from "@hookline/core/internal";
import { createEnvelopePreparer } from "@hookline/core/internal/sinks";
import { connectSink, type EnvelopeSource } from "@hookline/core/sinks";
import type { RuleNotice } from "../../rules/actions.js";
import type { Ingest } from "../parts.js";
import { isRefusal } from "./accept.js";
import { newId } from "./new-id.js";
import { HUB_APP } from "./own-source.js";

const EVENT = "notification:sent";

export interface OwnEvents {
  notify(notice: RuleNotice): void;
  /** Something that happened in the hub itself. */
  tell(event: string, payload: object): void;
  /** The same for what must not happen unless it is on record: resolves when it is on disk, rejects as the store does. */
  record(event: string, payload: { readonly session: { readonly id: string } }): Promise<void>;
  /** The question of an approval, or its answer. The answer of a person or of the policy is kept, even if a process has reported another. */
  approval(event: "approval:requested" | "permission:replied", payload: ApprovalPayload): void;
  close(): Promise<void>;
}

interface ApprovalPayload {
  readonly session?: SessionRef;
  readonly approval: { readonly id: string; readonly cause?: string };
}

/** What rules and the hub itself have to tell becomes an event like any other: stored, shown live and passed on by the sinks. */
export function createOwnEvents(ingest: Ingest, onError: (error: HookError) => void): OwnEvents {
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
  const prepare = createEnvelopePreparer({ onError });
  const source: EnvelopeSource = { host: hostname(), pid: process.pid, ...(bus.source as Pick<EnvelopeSource, "app" | "instance">) };
  const pending = new Set<Promise<boolean>>();

  /** False if there is an event with that id. */
  async function store(id: string, event: string, payload: { readonly session?: SessionRef }): Promise<boolean> {
    const made = createEnvelope({ id, at: new Date().toISOString(), event, source, session: payload.session, payload });
    const accepted = ingest.acceptOwn(prepare(made).envelope);
    if (isRefusal(accepted)) throw new HookError("HL_BAD_REQUEST", `It cannot be recorded, and is not done: ${accepted.reason}`);
    return (await ingest.append([accepted])).stored === 1;
  }

  return {
    notify({ rule, message, event, session, payload }) {
      // A rule for every event would tell of its own telling without end.
      if (event === EVENT) return;
      const tool = (payload as { readonly tool?: { readonly name?: unknown } } | null)?.tool?.name;
      bus.emitSync(EVENT, {
        message,
        rule,
        event,
        ...(session !== undefined && { session }),
        ...(typeof tool === "string" && { target: tool }),
      });
    },
    tell: (event, payload) => bus.emitSync(event, payload),
    async record(event, payload) {
      await store(newId(), event, payload);
    },
    approval(event, payload) {
      const { id, cause } = payload.approval;
      const known = event === "permission:replied" ? replyEventId(id) : undefined;
      const isAnswer = event === "permission:replied" && cause === undefined;
      const storing = store(known ?? newId(), event, payload).then((isNew) => {
        if (!isNew && isAnswer) return store(newId(), event, payload);
        return isNew;
      });
      pending.add(storing);
      storing.catch((error: unknown) => onError(asHookError(error))).finally(() => pending.delete(storing));
    },
    async close() {
      await Promise.allSettled(pending);
      await connection.close();
    },
  };
}

function asHookError(error: unknown): HookError {
  return error instanceof HookError ? error : new HookError("HL_STORE_FAILED", "An approval could not be recorded.", { cause: error });
}
