import type { HookError } from "@hookline/core";
import { closedResult, createInFlight, type OtlpSinkOptions } from "@hookline/core/internal/sinks";
import type { Envelope, SendResult, Sink } from "@hookline/core/sinks";
import { Outbox } from "./send/outbox.js";
import { readSettings } from "./send/settings.js";

export type { OtlpSinkOptions };

/** The counters of an `otlp` sink. */
export interface OtlpCounters {
  /** Spans that receivers have taken. */
  readonly spans: number;
  /** Spans, points and log records that receivers refused in requests that they accepted. */
  readonly refused: number;
  /** Spans that are open. */
  readonly open: number;
}

/** A sink that sends OpenTelemetry's signals. */
export interface OtlpSink extends Sink {
  readonly counters: OtlpCounters;
  /** What receivers refused last. */
  readonly lastRefusal: HookError | undefined;
}

/**
 * Sends events as traces, metrics and logs over OTLP/HTTP: `connectSink(bus, createOtlpSink({ url: "http://localhost:4318" }))`.
 * Does not try again by itself; `connectSink` does.
 */
export function createOtlpSink(options: OtlpSinkOptions = {}): OtlpSink {
  const settings = readSettings(options);
  const outbox = new Outbox(settings);
  const inFlight = createInFlight(settings.closeTimeoutMs);
  let turn: Promise<unknown> = Promise.resolve();
  let isDone = false;

  /** One batch after the other: what a batch ends may have begun in the one before it. */
  async function deliver(batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult> {
    if (signal.aborted) return { status: "retry", cause: signal.reason };
    try {
      outbox.add(batch);
      return await outbox.flush(signal);
    } catch (cause) {
      // What cannot be read or encoded must not stop the batches after it.
      outbox.discard();
      return { status: "failed", cause };
    }
  }

  async function send(batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult> {
    if (inFlight.isClosed) return closedResult(settings.name);
    if (batch.length === 0) return { status: "sent" };
    return inFlight.run(signal, (either) => {
      const sending = turn.then(() => deliver(batch, either));
      turn = sending;
      return sending;
    });
  }

  async function close(): Promise<void> {
    await inFlight.close();
    if (isDone) return;
    isDone = true;
    // What is open has no other chance, unless another sink continues.
    if (!settings.isContinued && outbox.endAll()) await outbox.flush(AbortSignal.timeout(settings.closeTimeoutMs));
    outbox.destroy();
  }

  return {
    name: settings.name,
    get counters() {
      return outbox.counters;
    },
    get lastRefusal() {
      return outbox.lastRefusal;
    },
    send,
    gaveUp: () => outbox.discard(),
    close,
  };
}
