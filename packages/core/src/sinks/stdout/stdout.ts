import { checkOptions, flag, label } from "../../bus/option-rules.js";
import type { Envelope } from "../../catalog/envelope.js";
import { HookError } from "../../catalog/errors.js";
import { type Encoding, encoders, encodingOption } from "../encoding.js";
import type { SendResult, Sink } from "../sink.js";
import { closedResult } from "../sink.js";
import { defineSink, type SinkOptionTable } from "../sink-definition.js";

/** Options of `createStdoutSink`. */
export interface StdoutSinkOptions {
  readonly name?: string;
  /** Says that stdout carries a protocol (MCP, LSP, an agent's hook answers), where a stray line does harm. Default: HOOKLINE_STDOUT_PROTOCOL is 1. */
  readonly isProtocolChannel?: boolean;
  /** Default `hookline`: the whole envelope. */
  readonly encoding?: Encoding;
  /** Instead of stdout. It is never ended. */
  readonly stream?: NodeJS.WritableStream;
}

/** Writes one line per envelope to stdout. Throws `HL_STDOUT_PROTOCOL` where stdout carries a protocol. */
export function createStdoutSink(options: StdoutSinkOptions = {}): Sink {
  checkOptions("createStdoutSink", options, optionTable);
  const { name = "stdout", encoding = "hookline", stream = process.stdout } = options;
  if (stream === process.stdout && (options.isProtocolChannel ?? process.env.HOOKLINE_STDOUT_PROTOCOL === "1")) throw refusal();
  let isClosed = false;
  // Without a listener a reader that goes away (EPIPE) would end the process. It stays after `close`: the error may come later.
  if (!listening.has(stream)) stream.on("error", ignore);
  listening.add(stream);

  function send(batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult> {
    if (isClosed) return Promise.resolve(closedResult(name));
    if (signal.aborted) return Promise.resolve({ status: "retry", cause: signal.reason });
    return batch.length === 0
      ? Promise.resolve({ status: "sent" })
      : writeText(stream, batch.map((envelope) => `${encoders[encoding](envelope)}\n`).join(""), signal);
  }

  async function close(): Promise<void> {
    isClosed = true;
  }
  return { name, send, close };
}

const listening = new WeakSet<NodeJS.WritableStream>();

function writeText(stream: NodeJS.WritableStream, lines: string, signal: AbortSignal): Promise<SendResult> {
  return new Promise((resolve) => {
    // The lines are in the stream's buffer by then and will come out whole: a second try would print them twice.
    const giveUp = (): void => resolve({ status: "failed", cause: signal.reason });
    signal.addEventListener("abort", giveUp, { once: true });
    // One write for all: nothing else that is printed comes between its lines.
    stream.write(lines, (error) => {
      signal.removeEventListener("abort", giveUp);
      // The reader is gone for good: a pipe cannot be opened again.
      resolve(error ? { status: "failed", cause: error } : { status: "sent" });
    });
  });
}

const optionTable: SinkOptionTable<StdoutSinkOptions> = {
  name: label,
  encoding: encodingOption,
  isProtocolChannel: flag,
  stream: { accepts: (value) => typeof (value as { write?: unknown } | null)?.write === "function", wants: "a writable stream" },
};

export const stdoutSink = defineSink<StdoutSinkOptions>({
  type: "stdout",
  what: "Prints one line per event to stdout. It is refused where stdout carries a protocol.",
  options: optionTable,
  create: createStdoutSink,
});

function ignore(): void {}

function refusal(): HookError {
  return new HookError("HL_STDOUT_PROTOCOL", "stdout carries a protocol here, and a line of events would break it. Use the jsonl sink.");
}
