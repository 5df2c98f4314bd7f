import type { HookError } from "@hookline/core";
import { createEnvelope } from "@hookline/core/internal";
import { type Envelope, type SendResult, type Sink, withQueue, withRetry } from "@hookline/core/sinks";
import type { NotifyConfig } from "../../config/config.js";
import { quietForMs } from "../../notify/quiet-hours.js";
import type { Channel } from "../../notify/target.js";
import type { Approvals } from "../approvals/approvals.js";
import type { SinkRow } from "../parts.js";
import type { PendingApproval } from "../protocol.js";
import { FeedTally } from "../sinks/feed-tally.js";
import type { MessageMaker, Outcome } from "./question-message.js";
import type { SentMessages } from "./sent-messages.js";

export interface QuestionNotifierOptions {
  readonly config: NotifyConfig;
  readonly open: () => Channel;
  readonly approvals: Pick<Approvals, "list" | "onChange">;
  readonly messages: MessageMaker;
  readonly sent: SentMessages;
  /** A link that opens the dashboard on the question; nothing where the dashboard has no public address. */
  readonly linkTo: (row: PendingApproval) => string | undefined;
  readonly onError: (error: HookError) => void;
}

export interface QuestionNotifier {
  readonly row: SinkRow;
  /** A question was answered: its message is edited, where the service can. */
  answered(id: string, outcome: Outcome): void;
  close(): Promise<void>;
}

const CLOSE_MS = 2_000;
/** Node's timers fire at once beyond this value. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Tells one target of each question that waits: once, however often the hub restarts, and as long as the question waits. */
export function createQuestionNotifier(options: QuestionNotifierOptions): QuestionNotifier {
  const { config, approvals, sent, messages, linkTo } = options;
  const tally = new FeedTally(config.name, options.onError);
  const timers = new Map<string, NodeJS.Timeout>();
  const outcomes = new Map<string, Outcome>();
  let channel: Channel | undefined;

  const find = (id: string): PendingApproval | undefined => approvals.list().find((row) => row.id === id);

  /** Opened with the first message: a secret that is missing by then is an error of the delivery, and tried again. */
  function opened(): Channel {
    channel ??= options.open();
    return channel;
  }

  async function ask(id: string, signal: AbortSignal): Promise<SendResult> {
    const row = find(id);
    // Answered meanwhile, or sent before a restart.
    if (row === undefined || sent.get(config.name, id) !== undefined) return { status: "sent" };
    const { event, source } = row;
    const about = { event, ...(source !== undefined && { app: source.app }) };
    const to = opened();
    const message = messages.question(row, linkTo(row));
    // Before it is sent: after a kill in between, no message is better than two.
    sent.set(config.name, id, { ...about, state: "claimed" });
    const { reference, ...result } = { reference: undefined, ...(await to.send(message, signal)) };
    if (result.status === "sent") {
      tally.settled(result, 1);
      sent.set(config.name, id, { ...about, state: "sent", ...(reference !== undefined && { reference }) });
      const outcome = outcomes.get(id);
      if (outcome !== undefined) push("permission:replied", id);
    } else sent.remove(config.name, id);
    return result;
  }

  async function edit(id: string, signal: AbortSignal): Promise<SendResult> {
    const { reference, app, event = "" } = sent.get(config.name, id) ?? {};
    const outcome = outcomes.get(id);
    outcomes.delete(id);
    const to = opened();
    if (reference === undefined || outcome === undefined || to.edit === undefined) return { status: "sent" };
    const source = app === undefined ? {} : { source: { app, host: "", pid: 0, instance: "" } };
    // A message that stays as it was is not worth another try: the dashboard knows the answer.
    const result = await to.edit(reference, messages.answered({ event, ...source }, outcome), signal);
    return result.status === "retry" ? { status: "failed", cause: result.cause } : result;
  }

  const sink: Sink = {
    name: config.name,
    async send([envelope], signal) {
      if (envelope === undefined) return { status: "sent" };
      try {
        return await (envelope.event === ASKED ? ask(envelope.id, signal) : edit(envelope.id, signal));
      } catch (cause) {
        return { status: "retry", cause };
      }
    },
    close: async () => channel?.close(),
  };
  const queue = withQueue(
    withRetry(sink, {
      maxAttempts: Number.POSITIVE_INFINITY,
      baseMs: 500,
      onRetry: (result) => result.status !== "sent" && tally.failed(result),
    }),
    { batch: { maxCount: 1 }, onResult: (result) => result.status !== "sent" && tally.settled(result, 1) },
  );

  function push(event: string, id: string): void {
    queue.push(noteOf(event, id), 1);
  }

  /** When the target is told: not before `after`, and not in quiet hours. */
  function dueAt({ askedAt }: PendingApproval): number {
    const due = askedAt + config.afterMs;
    const from = Math.max(due, Date.now());
    return from + (config.quietHours === undefined ? 0 : quietForMs(config.quietHours, from));
  }

  function plan(row: PendingApproval): void {
    if (timers.has(row.id) || sent.get(config.name, row.id) !== undefined) return;
    const due = dueAt(row);
    if (due >= row.expiresAt) tally.drop("quiet", config.quietHours === undefined ? 0 : 1);
    const delayMs = Math.min(MAX_TIMER_MS, Math.max(0, due - Date.now()));
    timers.set(row.id, setTimeout(() => find(row.id) !== undefined && push(ASKED, row.id), delayMs).unref());
  }

  function look(): void {
    const waiting = approvals.list();
    for (const row of waiting) plan(row);
    const ids = new Set(waiting.map(({ id }) => id));
    for (const [id, timer] of timers) {
      if (ids.has(id)) continue;
      clearTimeout(timer);
      timers.delete(id);
    }
  }

  const stop = approvals.onChange(look);
  look();
  return {
    get row() {
      const { state, lastError, sent: told, dropped } = tally;
      return {
        name: config.name,
        type: config.type,
        state,
        lastError,
        sent: told,
        dropped: { ...dropped },
        behind: queue.counters.pending,
      };
    },
    answered(id, outcome) {
      if (sent.get(config.name, id) === undefined) return;
      outcomes.set(id, outcome);
      push("permission:replied", id);
    },
    async close() {
      stop();
      for (const timer of timers.values()) clearTimeout(timer);
      await queue.close(CLOSE_MS);
      channel?.close();
    },
  };
}

const ASKED = "approval:requested";

/** The queue carries envelopes. Only the question's id matters: the message is made when it is sent. */
function noteOf(event: string, id: string): Envelope {
  return createEnvelope({
    id,
    at: new Date().toISOString(),
    event,
    source: { app: "hookline", host: "", pid: 0, instance: "" },
    session: undefined,
    payload: {},
  });
}
