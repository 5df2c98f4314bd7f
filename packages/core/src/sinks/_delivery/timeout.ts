import type { Envelope } from "../../catalog/envelope.js";
import { HookError } from "../../catalog/errors.js";
import type { SendResult, Sink } from "../sink.js";

/**
 * Holds a sink to its contract: it answers in time, it never throws, and an abort ends the wait.
 * A batch whose time is up may still arrive; it is tried again under the same ids.
 */
export function withTimeout(sink: Sink, timeoutMs: number): Sink {
  function send(batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult> {
    return new Promise((resolve) => {
      const attempt = new AbortController();
      const settle = (result: SendResult): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", cancel);
        resolve(result);
      };
      const giveUp = (cause: unknown): void => {
        attempt.abort(cause);
        // A sink that answers the abort at once has the last word on what became of the batch.
        setImmediate(settle, { status: "retry", cause });
      };
      const cancel = (): void => giveUp(signal.reason);
      const timer = setTimeout(() => giveUp(late(sink.name, timeoutMs)), timeoutMs);
      timer.unref();
      signal.addEventListener("abort", cancel, { once: true });
      call(sink, batch, attempt.signal).then(settle, (cause: unknown) => settle(broken(sink.name, cause)));
      if (signal.aborted) cancel();
    });
  }
  return { name: sink.name, send, close: () => sink.close() };
}

async function call(sink: Sink, batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult> {
  const result: unknown = await sink.send(batch, signal);
  return isResult(result) ? result : broken(sink.name, result);
}

function isResult(value: unknown): value is SendResult {
  const status = (value as { readonly status?: unknown } | null | undefined)?.status;
  return status === "sent" || status === "retry" || status === "failed";
}

function broken(name: string, cause: unknown): SendResult {
  const message = `The sink "${name}" threw or gave no result; a sink answers with sent, retry or failed.`;
  return { status: "failed", cause: new HookError("HL_SINK_FAILED", message, { cause }) };
}

function late(name: string, timeoutMs: number): HookError {
  return new HookError("HL_SINK_TIMEOUT", `The sink "${name}" did not answer within ${timeoutMs} ms.`);
}
