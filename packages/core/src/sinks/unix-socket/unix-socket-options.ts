import { callback, checkOptions, filePath, label, type Rule, type Rules } from "../../bus/option-rules.js";
import type { ConnectionTuning } from "../../wire/connection-options.js";
import { type Encoding, encodingRule } from "../encoding.js";

export interface UnixSocketSinkOptions extends ConnectionTuning {
  /** Default `$XDG_RUNTIME_DIR/hookline/events.sock`, or the same name in the state folder. */
  readonly path?: string;
  readonly name?: string;
  /** Default `hookline`: the whole envelope. */
  readonly encoding?: Encoding;
  /** Waits that long for the listener to acknowledge a batch with `{"type":"ack","id":…}`. Without it, none are expected. */
  readonly ackTimeoutMs?: number;
  /** How long a batch may take to be written. Default 10,000. */
  readonly sendTimeoutMs?: number;
  /** How long `close` goes on writing. Default 2000. */
  readonly closeTimeoutMs?: number;
}

interface SinkSettings {
  readonly name: string;
  readonly encoding: Encoding;
  readonly ackTimeoutMs: number | undefined;
  readonly sendTimeoutMs: number;
  readonly closeTimeoutMs: number;
  readonly tuning: ConnectionTuning;
}

/** The options with their defaults; throws `HL_UNKNOWN_OPTION` or `HL_BAD_OPTION`. */
export function readSinkOptions(options: UnixSocketSinkOptions): SinkSettings {
  checkOptions("createUnixSocketSink", options, rules);
  const {
    path: _,
    name = "unix-socket",
    encoding = "hookline",
    ackTimeoutMs,
    sendTimeoutMs = 10_000,
    closeTimeoutMs = 2000,
    ...tuning
  } = options;
  return { name, encoding, ackTimeoutMs, sendTimeoutMs, closeTimeoutMs, tuning };
}

const amount: Rule = {
  accepts: (value) => Number.isSafeInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31,
  wants: "a whole number above 0 and below 2^31",
};
const group: Rule = { accepts: (value) => typeof value === "object" && value !== null, wants: "an object" };

const rules: Rules<UnixSocketSinkOptions> = {
  path: filePath,
  name: label,
  encoding: encodingRule,
  ackTimeoutMs: amount,
  sendTimeoutMs: amount,
  closeTimeoutMs: amount,
  maxFrameBytes: amount,
  maxPendingBytes: amount,
  stallTimeoutMs: amount,
  connectTimeoutMs: amount,
  backoff: group,
  timers: group,
  random: callback,
};
