import type { Envelope } from "../../catalog/envelope.js";
import type { SendResult, Sink } from "../sink.js";
import { defineSink } from "../sink-definition.js";
import { contentTypeOf, encodeBody, requestsOf } from "./body.js";
import { createDeadLetterBox } from "./dead-letter.js";
import { guardLookup } from "./guarded-lookup.js";
import { createInFlight } from "./in-flight.js";
import { readWebhookOptions, type WebhookSettings, type WebhookSinkOptions, webhookOptions } from "./options.js";
import { closedResult, resultOfAnswer, resultOfError } from "./outcome.js";
import { createPoster } from "./post.js";
import { messageIdOf, signatureHeaders } from "./signature.js";

/** The counters of a webhook. */
export interface WebhookCounters {
  /** Envelopes, as everywhere here. */
  readonly sent: number;
  readonly failed: number;
  readonly deadLettered: number;
  /** Should have gone into the dead-letter file, which could not be written. */
  readonly lost: number;
}

/** A sink that posts to a URL. */
export interface WebhookSink extends Sink {
  readonly counters: WebhookCounters;
  /** Like `send`, but what fails is not put into the dead-letter file. */
  attempt(batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult>;
  /** For a batch the caller gives up on. Writes at once, also after `close`; `false` when there is no file or it cannot be written. */
  deadLetter(batch: readonly Envelope[], cause: unknown): boolean;
}

/**
 * Posts batches to a URL, signed as Standard Webhooks has it: `createWebhookSink({ url: "https://example.com/hook", secret: "whsec_…" })`.
 * Does not try again by itself; wrap it for that. What fails for good goes to the `deadLetter` file.
 */
export function createWebhookSink(options: WebhookSinkOptions): WebhookSink {
  const settings = readWebhookOptions(options);
  const counters = { sent: 0, failed: 0, deadLettered: 0, lost: 0 };
  const subject = { name: settings.name, label: settings.target.label, hideCredentials: settings.hideCredentials };
  const post = createSignedPost(settings);
  const inFlight = createInFlight(settings.closeTimeoutMs);
  const box = createDeadLetterBox({ path: settings.deadLetter, url: subject.label, hideCredentials: subject.hideCredentials, counters });
  /** What came of the first requests of a batch whose later ones are to be tried again. */
  const settled = new WeakMap<Envelope, SendResult>();

  async function request(batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult> {
    if (inFlight.isClosed) return closedResult(subject);
    try {
      return resultOfAnswer(await inFlight.run(signal, (either) => post.send(batch, either)), subject);
    } catch (error) {
      return resultOfError(error, subject);
    }
  }

  async function deliver(batch: readonly Envelope[], signal: AbortSignal, onFailed: typeof box.keep): Promise<SendResult> {
    const results: SendResult[] = [];
    for (const part of requestsOf(batch, settings)) {
      const [first] = part as [Envelope];
      const known = settled.get(first);
      const result = known ?? (await request(part, signal));
      if (result.status === "retry") return result;
      if (known === undefined) count(part, result, onFailed);
      settled.set(first, result);
      results.push(result);
    }
    for (const envelope of batch) settled.delete(envelope);
    return results.find(({ status }) => status === "failed") ?? { status: "sent" };
  }

  function count(part: readonly Envelope[], result: SendResult, onFailed: typeof box.keep): void {
    counters[result.status === "sent" ? "sent" : "failed"] += part.length;
    if (result.status === "failed") onFailed(part, result.cause);
  }

  function deadLetter(batch: readonly Envelope[], cause: unknown): boolean {
    const open = requestsOf(batch, settings).filter(([first]) => first !== undefined && !settled.delete(first));
    for (const part of open) counters.failed += part.length;
    return open.map((part) => box.keep(part, cause)).every(Boolean);
  }

  async function close(): Promise<void> {
    await inFlight.close();
    post.destroy();
  }
  return {
    name: settings.name,
    counters,
    send: (batch, signal) => deliver(batch, signal, box.keep),
    attempt: (batch, signal) => deliver(batch, signal, () => false),
    deadLetter,
    gaveUp: (batch, cause) => void deadLetter(batch, cause),
    close,
  };
}

function createSignedPost(settings: WebhookSettings) {
  const { target, lookup, timeoutMs, keys } = settings;
  const poster = createPoster({ url: target.url, lookup: guardLookup(lookup, target.policy), timeoutMs });
  const fixed = { "user-agent": "hookline", ...settings.headers, "content-type": contentTypeOf(settings) };

  function send(batch: readonly Envelope[], signal: AbortSignal) {
    const body = encodeBody(batch, settings);
    const signature = signatureHeaders({ id: messageIdOf(batch), body, atMs: Date.now() }, keys);
    return poster.post({ headers: { ...fixed, ...signature }, body }, signal);
  }
  return { send, destroy: poster.destroy };
}

export const webhookSink = defineSink<WebhookSinkOptions>({
  type: "webhook",
  what: "Posts batches of events to a URL, signed as Standard Webhooks has it.",
  options: webhookOptions,
  create: createWebhookSink,
});
