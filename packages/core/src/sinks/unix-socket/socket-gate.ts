import { createIdSource } from "../../bus/event-id.js";
import { checkOptions, oneOf } from "../../bus/option-rules.js";
import { ANSWER_MARGIN_MS, DEFAULT_HANDLER_TIMEOUT_MS } from "../../bus/time-limits.js";
import type { ApprovalReply, Approver, FailureMode, HandlerHealth, HookEvent } from "../../bus/types.js";
import { HookError } from "../../catalog/errors.js";
import { encodeJson, lossText } from "../../text/encode-json.js";
import type { NdjsonConnection } from "../../wire/connection.js";
import { describeAddress, readAmount } from "../../wire/connection-options.js";
import { Correlator } from "../../wire/correlator.js";
import { connectionLost } from "../../wire/link.js";
import { type ConnectionTimers, systemTimers } from "../../wire/timers.js";
import { answerOf, readVerdict, replyOf, type SocketAnswer, type VerdictFrame } from "../../wire/verdict.js";

/** Options of `createSocketGate`. */
export interface SocketGateOptions {
  /** How long the listener has to answer a gate. Default: the bus's default. Approvals have the bus's own limit. */
  readonly timeoutMs?: number;
  /** What `options` tells the bus to do when the listener does not answer. Default `closed`. */
  readonly onFailure?: FailureMode;
  readonly timers?: ConnectionTimers;
}

/** A handler and an approver that ask the listener of a socket. */
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
  const { timeoutMs = DEFAULT_HANDLER_TIMEOUT_MS, onFailure = "closed", timers = systemTimers } = options;
  const questions = createQuestions(connection, timers);

  async function handler({ name, payload, signal }: HookEvent): Promise<SocketAnswer | undefined> {
    return answerOf(
      await questions.ask({
        type: "gate",
        event: name,
        payload: wholeText(name, payload),
        fields: {},
        timeoutMs,
        signal,
        isAnswer: () => true,
      }),
    );
  }

  const approver: Approver = async (request, signal) => {
    const { event, payload, session, reason, by, expiresAt } = request;
    const verdict = await questions.ask({
      type: "approval",
      event,
      payload: wholeText(event, payload),
      fields: { session, reason, by },
      timeoutMs: Math.max(1, Math.min(expiresAt - Date.now(), 2 ** 31 - 1)),
      signal,
      isAnswer: (given) => replyOf(given) !== undefined,
    });
    return replyOf(verdict) as ApprovalReply;
  };

  return {
    handler,
    approver,
    options: { name: "socket-gate", onFailure, timeoutMs: timeoutMs + ANSWER_MARGIN_MS, health: () => ({ state: connection.state }) },
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

interface Question {
  readonly type: "gate" | "approval";
  readonly event: string;
  /** Its JSON, with nothing left out. */
  readonly payload: string;
  /** What else the frame says. */
  readonly fields: { readonly [key: string]: unknown };
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Whether a verdict answers this question. One that does not is ignored, and the question waits on. */
  readonly isAnswer: (verdict: VerdictFrame) => boolean;
}

/** Questions to the listener of a connection. */
function createQuestions(connection: NdjsonConnection, timers: ConnectionTimers) {
  // Ids of our own: one event may be asked about twice, and no verdict may fit a question of another process.
  const ids = createIdSource();
  const correlator = new Correlator<Question & { readonly id: string }, VerdictFrame>({
    timers,
    expired: ({ event, timeoutMs }) => unanswered(describeAddress(connection.address), event, timeoutMs),
    cancelled: ({ event }, cause) =>
      new HookError("HL_CANCELLED", `The question about "${event}" was cancelled.`, { event, failure: "cancelled", cause }),
  });

  connection.onFrame((frame) => {
    const verdict = readVerdict(frame);
    if (verdict === undefined || correlator.find(verdict.id)?.isAnswer(verdict) !== true) return false;
    return correlator.answer(verdict.id, verdict) === "answered";
  });
  connection.onState((state, cause) => {
    if (state === "down" || state === "closed") correlator.failAll(() => asLost(cause));
  });

  /** Rejects with a HookError that says how it failed; the caller decides what that means. */
  async function ask(question: Question): Promise<VerdictFrame> {
    const id = ids.next();
    const release = connection.hold();
    try {
      return await correlator.ask({ ...question, id }, ({ type, event, payload, fields, timeoutMs, signal }) => {
        const head = JSON.stringify({ type, id, event, ...fields, deadlineMs: timeoutMs });
        const line = `${head.slice(0, -1)},"payload":${payload}}`;
        void put(line, signal).then((error) => error && correlator.fail(id, error));
      });
    } finally {
      release();
    }
  }

  async function put(line: string, signal: AbortSignal): Promise<HookError | undefined> {
    // A question is worth a try although the pause is not over.
    connection.connect();
    const result = await connection.write([line], signal);
    return result.status === "sent" ? undefined : asLost(result.cause);
  }

  function asLost(cause: unknown): HookError {
    return cause instanceof HookError && cause.failure !== undefined ? cause : connectionLost(connection.address, "it was given up", cause);
  }

  return {
    ask,
    get pending() {
      return correlator.size;
    },
  };
}

/** Of bytes in a payload. */
const MAX_BYTES = 1024 * 1024;

function wholeText(event: string, payload: unknown): string {
  const { text, lost } = encodeJson(payload, { maxBytes: MAX_BYTES });
  if (lost.length === 0) return text;
  const message = `The listener cannot be asked about "${event}", because it would not see all of it: the payload has ${lossText(lost)}.`;
  throw new HookError("HL_NOT_WHOLE", message, { event, failure: "invalid_verdict" });
}

function unanswered(address: string, event: string, timeoutMs: number): HookError {
  const message = `The listener on "${address}" did not answer "${event}" within ${timeoutMs} ms.`;
  return new HookError("HL_TIMEOUT", message, { event, failure: "timeout" });
}
