import { resolve } from "node:path";
import { messageOf } from "../../bus/describe-error.js";
import { checkOptions, filePath, flag, label, positive, positiveCount } from "../../bus/option-rules.js";
import type { Envelope } from "../../catalog/envelope.js";
import { HookError } from "../../catalog/errors.js";
import { type Encoding, encoders, encodingOption } from "../encoding.js";
import type { SendResult, SyncSink } from "../sink.js";
import { closedResult } from "../sink.js";
import { defineSink, type SinkOptionTable } from "../sink-definition.js";
import { checkPrivateFolder, defaultJsonlPath } from "./open-file.js";
import { Rotation } from "./rotation.js";
import { SharedFile } from "./shared-file.js";

export { defaultJsonlPath };

/** Options of `createJsonlSink`. */
export interface JsonlSinkOptions {
  readonly name?: string;
  /** Default `hookline/events.jsonl` in the user's state folder. */
  readonly path?: string;
  /** Default `hookline`: the whole envelope. */
  readonly encoding?: Encoding;
  /** Waits until each batch is on the disk itself, to survive a loss of power. Default false. */
  readonly fsync?: boolean;
  /** Moves the file away before it would grow larger. */
  readonly maxBytes?: number;
  /** Moves the file away when it is older. */
  readonly maxAgeMs?: number;
  /** Compresses what was moved away, in the background. Default false. */
  readonly gzip?: boolean;
  /** How many of the files moved away to keep. Default all. */
  readonly keep?: number;
}

/** A sink that appends to a file. */
export interface JsonlSink extends SyncSink {
  readonly path: string;
}

/**
 * Appends one line per envelope to a file that other processes may append to as well. Writes are synchronous: what was answered with
 * `sent` survives the end of the process. Throws when the file cannot be opened or is not safe to.
 */
export function createJsonlSink(options: JsonlSinkOptions = {}): JsonlSink {
  checkOptions("createJsonlSink", options, optionTable);
  const { name = "jsonl", encoding = "hookline", fsync = false, gzip = false } = options;
  const { maxBytes = Number.POSITIVE_INFINITY, maxAgeMs = Number.POSITIVE_INFINITY, keep = Number.POSITIVE_INFINITY } = options;
  const path = resolve(options.path ?? defaultJsonlPath());
  if (options.path === undefined) checkPrivateFolder(path);
  const file = new SharedFile(path);
  const rotation = new Rotation(file, { maxBytes, maxAgeMs, gzip, keep });
  let isClosed = false;

  function sendSync(batch: readonly Envelope[]): SendResult {
    if (isClosed) return closedResult(name);
    if (batch.length === 0) return { status: "sent" };
    try {
      const bytes = Buffer.from(batch.map((envelope) => `${encoders[encoding](envelope)}\n`).join(""));
      if (rotation.makeRoom(file.refresh(), bytes.length)) file.refresh();
      file.append(bytes);
      if (fsync) file.sync();
      return { status: "sent" };
    } catch (cause) {
      return { status: "retry", cause: asHookError(path, cause) };
    }
  }

  async function send(batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult> {
    return signal.aborted ? { status: "retry", cause: signal.reason } : sendSync(batch);
  }

  async function close(): Promise<void> {
    if (!isClosed) file.close();
    isClosed = true;
    await rotation.settle();
  }
  return { name, path, send, sendSync, close };
}

const optionTable: SinkOptionTable<JsonlSinkOptions> = {
  name: label,
  path: { ...filePath, kind: "path", what: "The file.", default: "`hookline/events.jsonl` in the state folder" },
  encoding: encodingOption,
  fsync: { ...flag, kind: "flag", what: "Waits until each batch is on the disk itself, to survive a loss of power.", default: "`false`" },
  maxBytes: { ...positive, kind: "size", what: "Moves the file away before it grows larger.", default: "no limit" },
  maxAgeMs: { ...positive, kind: "age", what: "Moves the file away when it is older.", default: "no limit" },
  gzip: { ...flag, kind: "flag", what: "Compresses files that were moved away.", default: "`false`" },
  keep: { ...positiveCount, kind: "count", what: "How many of the files that were moved away to keep.", default: "all" },
};

export const jsonlSink = defineSink<JsonlSinkOptions>({
  type: "jsonl",
  what: "Appends one line per event to a file that other processes may append to as well.",
  options: optionTable,
  create: createJsonlSink,
});

function asHookError(path: string, cause: unknown): HookError {
  if (cause instanceof HookError) return cause;
  return new HookError("HL_SINK_IO", `The file "${path}" cannot be written: ${messageOf(cause)}.`, { cause });
}
