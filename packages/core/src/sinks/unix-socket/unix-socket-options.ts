import { callback, checkOptions, filePath, label, type Rule } from "../../bus/option-rules.js";
import type { ConnectionTuning } from "../../wire/connection-options.js";
import { type Encoding, encodingOption } from "../encoding.js";
import type { SinkOption, SinkOptionTable } from "../sink-definition.js";

/** Options of `createUnixSocketSink`. */
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
  checkOptions("createUnixSocketSink", options, unixSocketOptions);
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

export const unixSocketOptions: SinkOptionTable<UnixSocketSinkOptions> = {
  name: label,
  path: {
    ...filePath,
    kind: "path",
    what: "The socket, in a folder that other users cannot write to.",
    default: "`hookline/events.sock` in `$XDG_RUNTIME_DIR`",
  },
  encoding: encodingOption,
  ackTimeoutMs: {
    ...time(
      "How long the listener has to acknowledge a batch. Without it, `sent` means that the kernel has the batch.",
      "no acknowledgements",
    ),
    isPartOfSend: true,
  },
  sendTimeoutMs: { ...time("How long a batch may take to be written.", "10 s"), isPartOfSend: true },
  connectTimeoutMs: time("How long connecting may take.", "5 s"),
  stallTimeoutMs: time("A listener that reads nothing for that long loses its connection.", "5 s"),
  closeTimeoutMs: time("How long closing goes on writing.", "2 s"),
  maxFrameBytes: { ...amount, kind: "size", what: "The longest line.", default: '`"4MB"`' },
  maxPendingBytes: { ...amount, kind: "size", what: "How much may wait to be written.", default: '`"16MB"`' },
  backoff: {
    ...group,
    kind: "times",
    members: ["baseMs", "maxMs"],
    what: "`baseMs` and `maxMs` between attempts to connect.",
    default: "50 ms, 2 s",
  },
  timers: group,
  random: callback,
};

function time(what: string, unlessGiven: string): SinkOption {
  return { ...amount, kind: "time", what, default: unlessGiven };
}
