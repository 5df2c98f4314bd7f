import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { HookError } from "@hookline/core";
import { type Answer, createPoster, guardLookup, readRetryAfter, type Target } from "@hookline/core/internal/sinks";
import type { SendResult } from "@hookline/core/sinks";
import type { Encoder } from "./encode.js";
import type { OtlpSettings, Signal } from "./settings.js";

/** Posts the requests of one signal. */
export interface Sender {
  send(body: Uint8Array, signal: AbortSignal): Promise<SendResult>;
  destroy(): void;
}

interface SenderOptions {
  readonly signal: Signal;
  readonly target: Target;
  readonly settings: OtlpSettings;
  readonly encoder: Encoder;
  /** Hears what the receiver did not take of a request that it accepted. */
  readonly onRefused: (count: number, error: HookError) => void;
}

/** As OTLP has it: these pass, and every other status is final. */
const PASSING = new Set([429, 502, 503, 504]);
const MAX_MESSAGE = 300;
const compress = promisify(gzip);

export function createSender({ signal: what, target, settings, encoder, onRefused }: SenderOptions): Sender {
  const { lookup, timeoutMs, isGzip, headers, hideCredentials, name } = settings;
  const poster = createPoster({ url: target.url, lookup: guardLookup(lookup, target.policy, refuseLookup), timeoutMs });
  const fixed = {
    "user-agent": "hookline-otlp",
    ...headers,
    "content-type": encoder.contentType,
    ...(isGzip && { "content-encoding": "gzip" }),
  };
  const subject = `The sink "${name}" sent ${what} to ${target.label}`;

  function refused({ status, retryAfter, body }: Answer): SendResult {
    const said = hideCredentials(messageIn(body));
    const cause = new HookError("HL_OTLP_ANSWER", `${subject}, which answered ${status}${said === "" ? "" : `: ${said}`}.`);
    if (!PASSING.has(status)) return { status: "failed", cause };
    const afterMs = readRetryAfter(retryAfter, Date.now());
    return { status: "retry", cause, ...(afterMs !== undefined && { afterMs }) };
  }

  /** The receiver has the request, so it must not be sent again; but it may have refused a part of it. */
  function accepted({ body }: Answer): SendResult {
    const refusal = readRefusal(encoder, body);
    if (refusal !== undefined) {
      const said = hideCredentials(refusal.message.slice(0, MAX_MESSAGE));
      onRefused(refusal.count, new HookError("HL_OTLP_ANSWER", `${subject}, which refused ${refusal.count} of them: ${said}.`));
    }
    return { status: "sent" };
  }

  async function send(body: Uint8Array, signal: AbortSignal): Promise<SendResult> {
    try {
      const packed = isGzip ? await compress(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      const answer = await poster.post({ headers: fixed, body: packed }, signal);
      return answer.status >= 200 && answer.status < 300 ? accepted(answer) : refused(answer);
    } catch (error) {
      if (error instanceof HookError && error.code === "HL_OTLP_TARGET") return { status: "failed", cause: error };
      const reason = hideCredentials(reasonOf(error));
      return { status: "retry", cause: new HookError("HL_OTLP_UNREACHABLE", `${subject}, and got no answer: ${reason}.`) };
    }
  }
  return { send, destroy: poster.destroy };
}

function refuseLookup(hostname: string, refusal: string | undefined): HookError {
  if (refusal === undefined) return new HookError("HL_OTLP_UNREACHABLE", `"${hostname}" has no address.`);
  return new HookError("HL_OTLP_TARGET", `An otlp sink must not dial "${hostname}": ${refusal}. Use an address that the sink may reach.`);
}

function readRefusal(encoder: Encoder, body: Buffer): ReturnType<Encoder["refusalIn"]> {
  try {
    return encoder.refusalIn(body);
  } catch {
    // Some receivers answer with a text of their own.
    return undefined;
  }
}

/** The text in an answer, also in that of a `Status` in protobuf. */
function messageIn(body: Buffer): string {
  return body
    .toString("utf8")
    .replace(/[^\x20-\x7e]+/g, " ")
    .trim()
    .slice(0, MAX_MESSAGE);
}

// A name with several addresses fails with a list of errors and no message of its own.
function reasonOf(error: unknown): string {
  const errors = error instanceof AggregateError && error.errors.length > 0 ? error.errors : [error];
  return errors.map((one) => (one instanceof Error ? one.message : String(one)).replace(/\.$/, "")).join("; ");
}
