import { checkOptions, oneOf } from "../../bus/option-rules.js";
import type { Approver, FailureMode, HandlerHealth, HookEvent } from "../../bus/types.js";
import { copyJsonSafe } from "../../text/json-safe.js";
import type { NdjsonConnection } from "../../wire/connection.js";
import { readAmount } from "../../wire/connection-options.js";
import { type ConnectionTimers, systemTimers } from "../../wire/timers.js";
import { answerOf, replyOf, type SocketAnswer } from "../../wire/verdict-frame.js";
import { createQuestions } from "./questions.js";

export interface SocketGateOptions {
  /** How long the listener has to answer a gate. Default 4000. Approvals have the bus's own limit. */
  readonly timeoutMs?: number;
  /** What `options` tells the bus to do when the listener does not answer. Default `closed`. */
  readonly onFailure?: FailureMode;
  readonly timers?: ConnectionTimers;
}

export interface SocketGate {
  /** Asks the listener about a gate. Rejects when there is no answer, so that `onFailure` of its registration decides. */
  readonly handler: (event: HookEvent) => Promise<SocketAnswer | undefined>;
  /** For `bus.setApprover`: a person behind the listener answers. */
  readonly approver: Approver;
  /** How to register the handler: its name, its failure mode, and a time limit that leaves room for its own. */
  readonly options: {
    readonly name: string;
    readonly onFailure: FailureMode;
    readonly timeoutMs: number;
    readonly health: () => HandlerHealth;
  };
  /** Questions not answered yet. */
  readonly pending: number;
}

// The bus looks at its deadlines every 100 ms; ours must come first, for it says who did not answer.
const MARGIN_MS = 1000;

/**
 * Lets the listener of a connection answer gates and approvals.
 *
 * ```ts
 * const gate = createSocketGate(sink.connection, { timeoutMs: 2000 });
 * bus.on("tool:before", gate.handler, gate.options);
 * bus.setApprover(gate.approver);
 * ```
 */
export function createSocketGate(connection: NdjsonConnection, options: SocketGateOptions = {}): SocketGate {
  checkOptions("createSocketGate", options, rules);
  const { timeoutMs = 4000, onFailure = "closed", timers = systemTimers } = options;
  const questions = createQuestions(connection, timers);

  function handler({ name, payload, signal }: HookEvent): Promise<SocketAnswer | undefined> {
    return questions.ask({
      type: "gate",
      event: name,
      fields: { payload: copyJsonSafe(payload) },
      timeoutMs,
      signal,
      read: (verdict) => ({ answer: answerOf(verdict) }),
    });
  }

  const approver: Approver = (request, signal) => {
    const { event, payload, session, reason, by, expiresAt } = request;
    return questions.ask({
      type: "approval",
      event,
      fields: { payload: copyJsonSafe(payload), session, reason, by },
      timeoutMs: Math.max(1, Math.min(expiresAt - Date.now(), 2 ** 31 - 1)),
      signal,
      read(verdict) {
        const answer = replyOf(verdict);
        return answer && { answer };
      },
    });
  };

  return {
    handler,
    approver,
    options: { name: "socket-gate", onFailure, timeoutMs: timeoutMs + MARGIN_MS, health: () => ({ state: connection.state }) },
    get pending() {
      return questions.pending;
    },
  };
}

const rules = {
  timeoutMs: { accepts: (value: unknown) => readAmount("timeoutMs", value) > 0, wants: "a number of milliseconds" },
  onFailure: oneOf("open", "closed", "abort"),
  timers: { accepts: (value: unknown) => typeof value === "object" && value !== null, wants: "timers" },
};
