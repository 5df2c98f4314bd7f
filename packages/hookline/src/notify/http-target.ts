import { lookup } from "node:dns";
import {
  createCredentialHider,
  createPoster,
  guardLookup,
  type PostMessage,
  parseTarget,
  resultOfAnswer,
  resultOfError,
} from "@hookline/core/internal/sinks";
import type { SendResult } from "@hookline/core/sinks";
import type { Message } from "./message.js";
import type { Channel, NotifyTarget, TargetOptions } from "./target.js";

/** How a message becomes a request. */
interface HttpRequest {
  readonly method?: "POST" | "PATCH";
  readonly url: string;
  readonly headers?: { readonly [name: string]: string };
  /** Text is sent as it is; anything else as JSON. */
  readonly body: unknown;
}

interface HttpTarget extends Pick<NotifyTarget, "type" | "what" | "options"> {
  request(message: Message, options: TargetOptions): HttpRequest;
  /** The service's name for the message, in its answer. */
  referenceIn?(answer: unknown): string | undefined;
  edit?(reference: string, message: Message, options: TargetOptions): HttpRequest;
}

const TIMEOUT_MS = 10_000;
const NO_MESSAGE: Message = { title: "", text: "", isUrgent: false };

/** A target that is reached by one HTTP request for each message. No part of its address comes from an event. */
export function httpTarget({ request, edit, referenceIn, ...target }: HttpTarget): NotifyTarget {
  return {
    ...target,
    open(options, name): Channel {
      const { url, label, policy, secrets } = parseTarget(request(NO_MESSAGE, options).url, { allowPrivate: true, allowHttp: false });
      const poster = createPoster({ url, lookup: guardLookup(lookup, policy), timeoutMs: TIMEOUT_MS });
      const subject = { name, label, hideCredentials: createCredentialHider([...secrets, ...textsIn(options)]) };

      async function exchange(made: HttpRequest, signal: AbortSignal): Promise<SendResult & { reference?: string | undefined }> {
        try {
          const answer = await poster.post(messageOf(made), signal);
          const result = resultOfAnswer(answer, subject);
          return result.status === "sent" ? { ...result, reference: referenceIn?.(readJson(answer.body)) } : result;
        } catch (error) {
          return resultOfError(error, subject);
        }
      }

      return {
        send: (message, signal) => exchange(request(message, options), signal),
        ...(edit !== undefined && {
          edit: async (reference: string, message: Message, signal: AbortSignal) => exchange(edit(reference, message, options), signal),
        }),
        close: () => poster.destroy(),
      };
    },
  };
}

function messageOf({ method = "POST", url, headers = {}, body }: HttpRequest): PostMessage {
  const { pathname, search } = new URL(url);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const all = { "user-agent": "hookline", "content-type": "application/json", ...headers };
  return { method, target: `${pathname}${search}`, headers: all, body: Buffer.from(text) };
}

function textsIn(options: TargetOptions): string[] {
  return Object.values(options).flatMap((value) =>
    (typeof value === "object" && value !== null ? Object.values(value) : [value]).map(String),
  );
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
