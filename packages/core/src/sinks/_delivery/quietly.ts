import type { Envelope } from "../../catalog/envelope.js";
import type { SendResult, Sink } from "../sink.js";

/** How long a sink may take to say what became of a batch after it was told to stop. */
const LAST_WORD_MS = 50;

/** Sends, whatever the sink does: one that throws has failed, and one that ignores an abort is not waited for. */
export function sendQuietly(sink: Sink, batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult> {
  return new Promise((resolve) => {
    const settle = (result: SendResult): void => {
      signal.removeEventListener("abort", stop);
      resolve(result);
    };
    const stop = (): void => void setTimeout(settle, LAST_WORD_MS, { status: "retry", cause: signal.reason });
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    attempt(sink, batch, signal).then(settle, (cause: unknown) => settle({ status: "failed", cause }));
  });
}

// Async, so that a sink that throws at once rejects.
async function attempt(sink: Sink, batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult> {
  return sink.send(batch, signal);
}

/** Closes, and waits for it no longer than so. What it throws changes nothing: everything is counted by then. */
export function closeQuietly(sink: Sink, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, withinMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    Promise.resolve()
      .then(() => sink.close())
      .then(done, done);
  });
}
