import { hostname } from "node:os";
import { HookError } from "@hookline/core";
import { samplePayload } from "@hookline/core/internal";
import type { Sink } from "@hookline/core/sinks";
import type { NotifyConfig, SinkConfig } from "../../config/config.js";
import { readOptions } from "../../config/read-secret.js";
import { allTargets } from "../../notify/all-targets.js";
import type { Message } from "../../notify/message.js";
import { quietForMs } from "../../notify/quiet-hours.js";
import type { Channel } from "../../notify/target.js";
import type { Approvals } from "../approvals/approvals.js";
import { Refused } from "../http/refused.js";
import type { Arrival, Live, SinkRow } from "../parts.js";
import type { WebPush } from "../phone/web-push.js";
import type { NotifyTestAnswer, PendingApproval } from "../protocol.js";
import { openSinks } from "../sinks/open-sinks.js";
import type { FeedStore } from "../sinks/sink-position.js";
import { Digest } from "./digest.js";
import { createMessageMaker, eventsMessage, type Outcome } from "./question-message.js";
import { createQuestionNotifier, type QuestionNotifier } from "./question-notifier.js";
import { openSentMessages } from "./sent-messages.js";

export interface NotifyOptions {
  readonly state: string;
  readonly store: FeedStore;
  readonly live: Pick<Live, "watch">;
  readonly approvals: Pick<Approvals, "list" | "onChange">;
  readonly linkTo: (row: PendingApproval) => string | undefined;
  /** The browsers that get push messages. */
  readonly push: Pick<WebPush, "count" | "channel" | "onChange">;
  readonly onError: (error: HookError) => void;
  readonly onProblem: (text: string) => void;
}

/** Tells people of questions and chosen events. */
export interface Notify {
  list(): readonly SinkRow[];
  /** Other targets from now on. Those that stay the same run on. */
  adopt(next: readonly NotifyConfig[]): void;
  /** Sees what is stored: the answers to questions. */
  see(arrivals: readonly Arrival[]): void;
  /** Sends one message to each target, or to the one of that name. Rejects with `HL_NOT_FOUND`. */
  test(name: string | undefined, signal: AbortSignal): Promise<NotifyTestAnswer>;
  close(): Promise<void>;
}

interface EventSink extends Sink {
  readonly digest: Digest;
}

/** It is about a sample, so that a template of your own is seen filled. */
const TEST: Message = {
  title: "Hookline: a test message",
  text: "Notifications from this hub arrive here.",
  isUrgent: false,
  about: {
    event: "approval:requested",
    payload: samplePayload("approval:requested"),
    session: { id: "test" },
    source: { app: "hookline-test", host: hostname(), pid: process.pid, instance: "test" },
  },
};

export function openNotify(configs: readonly NotifyConfig[], options: NotifyOptions): Notify {
  const { state, store, live, approvals, onError, onProblem, linkTo, push } = options;
  const sent = openSentMessages(state, onProblem);
  let listed: readonly NotifyConfig[] = [];
  let notifiers = new Map<string, { readonly key: string; readonly notifier: QuestionNotifier }>();
  const closing = new Set<Promise<void>>();
  const digests = new Map<string, Digest>();
  const events = openSinks([], {
    store,
    live,
    onError,
    create({ name }) {
      const sink = eventSink(find(name), state);
      digests.set(name, sink.digest);
      return sink;
    },
  });

  function find(feed: string): NotifyConfig {
    const found = listed.find(({ name }) => feedName(name) === feed);
    if (found === undefined) throw new HookError("HL_NOT_FOUND", `There is no notification "${feed}".`);
    return found;
  }

  let configured: readonly NotifyConfig[] = configs;

  function adopt(wanted: readonly NotifyConfig[]): void {
    configured = wanted;
    const next = push.count > 0 ? [...wanted, WEB_PUSH] : wanted;
    listed = next;
    const before = notifiers;
    notifiers = new Map(
      next
        .filter((config) => config.approvals)
        .map((config) => {
          const key = JSON.stringify(config);
          const known = before.get(config.name);
          return [config.name, known?.key === key ? known : { key, notifier: start(config) }];
        }),
    );
    for (const [name, known] of before) if (notifiers.get(name) !== known) leave(known.notifier);
    events.adopt(next.filter(({ events }) => events.length > 0).map(feedOf));
  }

  /** A digest that does not arrive is trouble of its target, although each event was taken. */
  function rowOf(row: SinkRow): SinkRow {
    const trouble = digests.get(row.name)?.lastError;
    return trouble === undefined ? row : { ...row, state: "failing", lastError: trouble };
  }

  function start(config: NotifyConfig): QuestionNotifier {
    const messages = createMessageMaker(config.redact, onError);
    return createQuestionNotifier({ config, open: () => channelOf(config), approvals, messages, sent, linkTo, onError });
  }

  function channelOf(config: NotifyConfig): Channel {
    return config === WEB_PUSH ? push.channel() : openChannel(config);
  }

  function leave(notifier: QuestionNotifier): void {
    const closed = notifier.close().finally(() => closing.delete(closed));
    closing.add(closed);
  }

  async function tryOne(config: NotifyConfig, signal: AbortSignal): Promise<NotifyTestAnswer["sent"][number]> {
    const { name, type } = config;
    let channel: Channel | undefined;
    try {
      channel = channelOf(config);
      const result = await channel.send(TEST, signal);
      return result.status === "sent" ? { name, type, ok: true } : { name, type, ok: false, error: textOf(result.cause) };
    } catch (error) {
      return { name, type, ok: false, error: textOf(error) };
    } finally {
      channel?.close();
    }
  }

  adopt(configs);
  push.onChange(() => adopt(configured));
  return {
    list: () => [...[...notifiers.values()].map(({ notifier }) => notifier.row), ...events.list().map(rowOf)],
    adopt,
    see(arrivals) {
      for (const { envelope } of arrivals) {
        if (envelope.event !== "permission:replied") continue;
        const { id, verdict, by, cause } = Object(Object(envelope.payload).approval) as { readonly [key: string]: unknown };
        const isAnswer = cause === undefined && (verdict === "allow" || verdict === "deny");
        const outcome: Outcome = isAnswer ? { verdict, ...(typeof by === "string" && { by }) } : { verdict: undefined };
        if (typeof id === "string") for (const { notifier } of notifiers.values()) notifier.answered(id, outcome);
      }
    },
    async test(name, signal) {
      const chosen = listed.filter((config) => name === undefined || config.name === name);
      if (chosen.length === 0)
        throw new Refused(
          404,
          "HL_NOT_FOUND",
          name === undefined ? "hookline.toml has no [[notify]]." : `There is no [[notify]] named "${name}".`,
          {
            fix: { run: "hookline config show" },
          },
        );
      return { sent: await Promise.all(chosen.map((config) => tryOne(config, signal))) };
    },
    async close() {
      await Promise.all([...[...notifiers.values()].map(({ notifier }) => notifier.close()), ...closing, events.close()]);
    },
  };
}

/** No table of `hookline.toml`: a browser that asked for messages is told of every question. Its name cannot be one of the file's. */
const WEB_PUSH: NotifyConfig = {
  name: "web push",
  type: "web-push",
  approvals: true,
  events: [],
  afterMs: 0,
  digestMs: 0,
  redact: [],
  options: {},
};

function openChannel({ name, type, options }: NotifyConfig): Channel {
  const target = allTargets.find((known) => known.type === type);
  if (target === undefined) throw new HookError("HL_BAD_OPTION", `There is no notification of type "${type}".`);
  return target.open(readOptions(target.options, options), name);
}

/** The feed of a target's events has a place of its own in the store. */
function feedName(name: string): string {
  return `${name}:events`;
}

function feedOf({ name, type, events, redact }: NotifyConfig): SinkConfig {
  return {
    name: feedName(name),
    type,
    events,
    redact,
    redactSecrets: true,
    maxPayloadBytes: 16 * 1_024,
    from: "end",
    timeoutMs: 30_000,
    batch: { maxCount: 500, maxBytes: 1_024 ** 2, maxDelayMs: 0 },
    retry: { maxAttempts: Number.POSITIVE_INFINITY, baseMs: 500, maxMs: 60_000, maxAfterMs: 3_600_000 },
    options: {},
  };
}

/** Tells of events at once, or gathers them where the target wants a digest or is in its quiet hours. */
function eventSink(config: NotifyConfig, state: string): EventSink {
  const open = (): Channel => openChannel(config);
  const digest = new Digest(config, state, open);
  // Opened here, so that a wrong option or a missing secret is shown before the first event.
  const channel = open();
  const isHeld = (): boolean => config.digestMs > 0 || (config.quietHours !== undefined && quietForMs(config.quietHours, Date.now()) > 0);
  return {
    name: config.name,
    digest,
    async send(batch, signal) {
      if (isHeld()) {
        digest.add(batch);
        return { status: "sent" };
      }
      const { reference: _, ...result } = { reference: undefined, ...(await channel.send(eventsMessage(batch), signal)) };
      return result;
    },
    async close() {
      digest.close();
      channel.close();
    },
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
