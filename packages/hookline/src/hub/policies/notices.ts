import { createBus, type HookError } from "@hookline/core";
import { connectSink } from "@hookline/core/sinks";
import type { RuleNotice } from "../../rules/rule-handler.js";
import { isRefusal } from "../ingest/accept.js";
import { HUB_APP } from "../ingest/own-source.js";
import type { Ingest } from "../parts.js";

const EVENT = "notification:sent";

export interface Notices {
  notify(notice: RuleNotice): void;
  /** Something that happened in the hub itself. */
  tell(event: string, payload: object): void;
  close(): Promise<void>;
}

/** What rules and the hub itself have to tell becomes an event like any other: stored, shown live and passed on by the sinks. */
export function createNotices(ingest: Ingest, onError: (error: HookError) => void): Notices {
  const bus = createBus({ source: HUB_APP, enabled: true, onError });
  const connection = connectSink(bus, {
    name: "notices",
    async send(batch) {
      const accepted = batch.map((envelope) => ingest.acceptOwn(envelope)).flatMap((result) => (isRefusal(result) ? [] : [result]));
      await ingest.append(accepted);
      return { status: "sent" };
    },
    close: async () => {},
  });
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
      } as never);
    },
    tell: (event, payload) => bus.emitSync(event as "approval:requested", payload as never),
    close: async () => void (await connection.close()),
  };
}
