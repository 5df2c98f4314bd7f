import { lookup } from "node:dns";
import { readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";
import {
  createCredentialHider,
  createPoster,
  guardLookup,
  parseTarget,
  resultOfAnswer,
  resultOfError,
  type TargetRules,
} from "@hookline/core/internal/sinks";
import type { SendResult } from "@hookline/core/sinks";
import { z } from "zod";
import type { Message } from "../../notify/message.js";
import type { Channel } from "../../notify/target.js";
import { badRequest } from "../http/refused.js";
import { encryptPush } from "./encrypt-push.js";
import { createVapidKey } from "./vapid.js";

const base64url = z.string().regex(/^[\w-]{1,200}$/);

/** What `pushManager.subscribe` gives, as far as the hub needs it. */
export const subscription = z.strictObject({
  endpoint: z.url().max(2_048).describe("The address that the browser's push service gave it."),
  keys: z.strictObject({ p256dh: base64url, auth: base64url }).describe("In base64url."),
});
type PushSubscription = z.output<typeof subscription>;

/** Tells browsers that a call waits, also while no dashboard is open there. */
export interface WebPush {
  /** For `pushManager.subscribe`. */
  readonly publicKey: string;
  readonly count: number;
  /** Throws 400 for an address that the hub does not dial. */
  subscribe(given: PushSubscription): void;
  unsubscribe(endpoint: string): void;
  clear(): void;
  channel(): Channel;
  /** Called when the first browser was added, or the last one removed. */
  onChange(listener: () => void): void;
}

interface WebPushOptions {
  readonly state: string;
  /** The public origin, which push services get as the sender's address. */
  readonly origin: string | undefined;
  readonly onProblem: (text: string) => void;
  /** The address comes from a browser, so it must be a public one. */
  readonly rules?: TargetRules;
}

const FILE = "push.json";
const MAX_SUBSCRIPTIONS = 16;
const TIMEOUT_MS = 10_000;
/** How long the push service keeps a message for a phone that is off; no call waits longer by default. */
const TTL_S = 540;
const jwk = z.strictObject({ kty: z.literal("EC"), crv: z.literal("P-256"), x: base64url, y: base64url, d: base64url });
const kept = z.strictObject({ key: jwk, subscriptions: z.array(subscription) });
const [GONE, UNKNOWN] = [410, 404];

export function openWebPush({ state, origin, onProblem, rules = { allowPrivate: false, allowHttp: false } }: WebPushOptions): WebPush {
  const before = kept.safeParse(readPrivateJson(state, FILE)).data;
  const vapid = createVapidKey(before?.key);
  let subscriptions: readonly PushSubscription[] = before?.subscriptions ?? [];
  let listener = (): void => {};

  function keep(next: readonly PushSubscription[]): void {
    const [had, has] = [subscriptions.length > 0, next.length > 0];
    subscriptions = next;
    try {
      writePrivateJson(state, FILE, { key: vapid.jwk, subscriptions });
    } catch (error) {
      onProblem(`The browsers to notify could not be saved, so they are forgotten with the hub: ${(error as Error).message}`);
    }
    if (had !== has) listener();
  }

  const without = (endpoint: string): readonly PushSubscription[] => subscriptions.filter((one) => one.endpoint !== endpoint);

  async function sendTo({ endpoint, keys }: PushSubscription, text: string, signal: AbortSignal): Promise<SendResult> {
    const { url, label, policy, secrets } = parseTarget(endpoint, rules);
    const poster = createPoster({ url, lookup: guardLookup(lookup, policy), timeoutMs: TIMEOUT_MS });
    const subject = { name: "web-push", label, hideCredentials: createCredentialHider([...secrets, endpoint]) };
    const headers = {
      authorization: vapid.authorization(endpoint, origin ?? "https://localhost"),
      "content-encoding": "aes128gcm",
      "content-type": "application/octet-stream",
      ttl: String(TTL_S),
      urgency: "high",
    };
    try {
      const answer = await poster.post({ target: `${url.pathname}${url.search}`, headers, body: encryptPush(text, keys) }, signal);
      // The browser no longer wants messages.
      if (answer.status === GONE || answer.status === UNKNOWN) keep(without(endpoint));
      return resultOfAnswer(answer, subject);
    } catch (error) {
      return resultOfError(error, subject);
    } finally {
      poster.destroy();
    }
  }

  return {
    publicKey: vapid.publicKey,
    get count() {
      return subscriptions.length;
    },
    subscribe(given) {
      try {
        parseTarget(given.endpoint, rules);
        encryptPush("", given.keys);
      } catch {
        throw badRequest("The hub does not send to this push service.");
      }
      keep([...without(given.endpoint), given].slice(-MAX_SUBSCRIPTIONS));
    },
    unsubscribe: (endpoint) => keep(without(endpoint)),
    clear() {
      if (subscriptions.length > 0) keep([]);
    },
    onChange(given) {
      listener = given;
    },
    channel: () => ({
      async send(message, signal) {
        const results = await Promise.all(subscriptions.map((one) => sendTo(one, payloadOf(message), signal)));
        // If one browser has it, another try would tell that one twice.
        return results.find(({ status }) => status === "sent") ?? results[0] ?? { status: "sent" };
      },
      close() {},
    }),
  };
}

/** The words are the same for every call: what it is about is shown by the dashboard alone. */
function payloadOf({ title, text, link, isUrgent }: Message): string {
  const shown = isUrgent ? { title: "A call waits for your answer", text: "" } : { title, text };
  return JSON.stringify({ ...shown, ...(link !== undefined && { link }) });
}
