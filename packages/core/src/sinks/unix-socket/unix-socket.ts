import type { Envelope } from "../../catalog/envelope.js";
import { HookError } from "../../catalog/errors.js";
import type { NdjsonConnection } from "../../wire/connection.js";
import { createNdjsonConnection } from "../../wire/ndjson-connection.js";
import { checkSocketPath, defaultSocketPath, readSocketPath } from "../../wire/socket-path.js";
import { onAbort, systemTimers, withTimeLimit } from "../../wire/timers.js";
import type { SendResult, Sink } from "../sink.js";
import { closedResult } from "../sink.js";
import { defineSink } from "../sink-definition.js";
import { createAcknowledgements } from "./acknowledgements.js";
import { encodeBatch } from "./encode-batch.js";
import { readSinkOptions, type UnixSocketSinkOptions, unixSocketOptions } from "./unix-socket-options.js";

/** A sink that writes to a Unix socket. */
export interface UnixSocketSink extends Sink {
  /** Give it to `createSocketGate`, and the listener of the events answers gates too, in one order with them. */
  readonly connection: NdjsonConnection;
  /** In envelopes. */
  readonly counters: {
    readonly sent: number;
    /** Once for each time one was answered so. */
    readonly retry: number;
    readonly failed: number;
    /** Of those sent: without their payload, because it made the line too long. */
    readonly cut: number;
  };
}

/**
 * Sends envelopes to a listener on a Unix socket, one JSON line each. `sent` means that the kernel has them: what a listener has not read
 * when it dies is gone. With `ackTimeoutMs` it means that the listener acknowledged them.
 */
export function createUnixSocketSink(options: UnixSocketSinkOptions = {}): UnixSocketSink {
  const { name, encoding, ackTimeoutMs, sendTimeoutMs, closeTimeoutMs, tuning } = readSinkOptions(options);
  const path = readSocketPath(options.path ?? defaultSocketPath());
  checkSocketPath(path);
  const connection = createNdjsonConnection({ ...tuning, address: { path } });
  const expectAck = ackTimeoutMs === undefined ? undefined : createAcknowledgements(connection);
  const counters = { sent: 0, retry: 0, failed: 0, cut: 0 };
  let isClosed = false;

  function within(limitMs: number, signal: AbortSignal, run: (limit: AbortSignal) => Promise<SendResult>): Promise<SendResult> {
    const late = (): HookError =>
      new HookError("HL_SINK_TIMEOUT", `The listener on "${path}" took more than ${limitMs} ms over a batch.`, { failure: "timeout" });
    return withTimeLimit({ timers: tuning.timers ?? systemTimers, limitMs, signal, late }, run);
  }

  async function write(batch: readonly Envelope[], lines: readonly string[], signal: AbortSignal): Promise<SendResult> {
    const expected = batch.length > 0 ? expectAck?.(batch) : undefined;
    const written = await within(sendTimeoutMs, signal, (limit) => connection.write(lines, limit));
    if (expected === undefined || ackTimeoutMs === undefined) return written;
    if (written.status !== "sent") expected.settle(written);
    return within(ackTimeoutMs, signal, (limit) => {
      onAbort(limit, (cause) => expected.settle({ status: "retry", cause }));
      return expected.result;
    });
  }

  async function send(batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult> {
    if (isClosed) return closedResult(name);
    const encoded = encodeBatch(batch, connection.maxFrameBytes, encoding);
    const result = encoded === undefined ? tooLarge(name, connection.maxFrameBytes) : await write(batch, encoded.lines, signal);
    counters[result.status] += batch.length;
    if (result.status === "sent") counters.cut += encoded?.cut ?? 0;
    return result;
  }

  function close(): Promise<void> {
    isClosed = true;
    return connection.close(closeTimeoutMs);
  }
  return { name, connection, counters, send, close };
}

function tooLarge(name: string, maxBytes: number): SendResult {
  const message = `The sink "${name}" cannot write an envelope of its batch in ${maxBytes} bytes, not even without its payload.`;
  return { status: "failed", cause: new HookError("HL_FRAME_TOO_LARGE", message) };
}

export const unixSocketSink = defineSink<UnixSocketSinkOptions>({
  type: "unix-socket",
  what: "Sends one line per event to a listener on a Unix socket.",
  options: unixSocketOptions,
  create: createUnixSocketSink,
});
