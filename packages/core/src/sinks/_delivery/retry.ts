import type { Envelope } from "../../catalog/envelope.js";
import { HookError } from "../../catalog/errors.js";
import { backoffDelay } from "../../wire/backoff.js";
import type { SendResult, Sink } from "../sink.js";

/** Options of `withRetry`. */
export interface RetryOptions {
  /** How often a batch is tried in all. Default 10; `Infinity` never gives up. */
  readonly maxAttempts?: number;
  /** The longest first wait; it doubles with each try. Default 100. */
  readonly baseMs?: number;
  /** The longest wait by ourselves. Default 30,000. */
  readonly maxMs?: number;
  /** The longest wait that a sink may ask for with `afterMs`. Default an hour. */
  readonly maxAfterMs?: number;
  /** Hears of a batch that will not be tried again. */
  readonly onGiveUp?: (batch: readonly Envelope[], cause: unknown) => void;
  /** Hears of each answer that is not final. */
  readonly onRetry?: (result: SendResult, attempt: number) => void;
  /** Between 0 and 1. Default `Math.random`. */
  readonly random?: () => number;
  /** Resolves after a time, or when the signal is aborted. Default: a timer that keeps no process alive. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Tries again what the sink answers with `retry`, after a random part of a growing wait, and gives up with `failed` in the end. */
export function withRetry(sink: Sink, options: RetryOptions = {}): Sink {
  const {
    maxAttempts = 10,
    baseMs = 100,
    maxMs = 30_000,
    maxAfterMs = 3_600_000,
    onRetry,
    onGiveUp,
    random = Math.random,
    sleep: wait = sleep,
  } = options;

  function waitMs(attempt: number, afterMs: number | undefined): number {
    const delayMs = backoffDelay(attempt - 1, { baseMs, maxMs, jitter: 1, random });
    return Math.max(delayMs, Math.min(maxAfterMs, afterMs ?? 0));
  }

  async function send(batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult> {
    for (let attempt = 1; ; attempt++) {
      const result = await sink.send(batch, signal);
      if (result.status !== "retry" || signal.aborted) return result;
      if (attempt >= maxAttempts) {
        onGiveUp?.(batch, result.cause);
        return exhausted(sink.name, attempt, result.cause);
      }
      onRetry?.(result, attempt);
      await wait(waitMs(attempt, result.afterMs), signal);
      if (signal.aborted) return result;
    }
  }
  return { name: sink.name, send, close: () => sink.close() };
}

function exhausted(name: string, attempts: number, cause: unknown): SendResult {
  const message = `The sink "${name}" did not take a batch in ${attempts} attempts.`;
  return { status: "failed", cause: new HookError("HL_RETRY_EXHAUSTED", message, { cause }) };
}

/** Resolves after a time, or at once when the signal is aborted. Keeps no process alive. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    timer.unref();
    signal.addEventListener("abort", done, { once: true });
  });
}
