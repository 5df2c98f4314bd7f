import { callback, checkOptions, flag, milliseconds, oneOf, positive, positiveCount, type Rule, type Rules } from "../bus/option-rules.js";
import type { HookError } from "../catalog/errors.js";
import type { RedactOptions } from "../redact/redact.js";
import type { BatchOptions } from "./_delivery/batching.js";
import type { Overflow } from "./_delivery/queue.js";
import type { RetryOptions } from "./_delivery/retry.js";

/** Options of `connectSink`. */
export interface ConnectSinkOptions extends RedactOptions {
  /** Which events: names in any spelling and patterns such as `tool:*`. Default all. */
  readonly events?: string | readonly string[];
  /** Of the payload's JSON. What is longer is cut and marked. Default 256 KiB. */
  readonly maxPayloadBytes?: number;
  /** How much may wait. Default 10,000 events and 16 MiB. */
  readonly queue?: { readonly maxCount?: number; readonly maxBytes?: number };
  /** What to do when no more may wait. Default `drop-oldest`. */
  readonly overflow?: Overflow;
  readonly batch?: BatchOptions;
  readonly retry?: Omit<RetryOptions, "onRetry" | "onGiveUp">;
  /** How long the sink may take over a batch. Default 30,000. */
  readonly timeoutMs?: number;
  /** Writes what is pending when the process exits. Only for sinks that have `sendSync`, and there the default. */
  readonly flushOnExit?: boolean;
  /** The same for SIGTERM, SIGINT and SIGHUP, which then end the process as usual. Only for sinks that have `sendSync`, and there the default. */
  readonly flushOnSignals?: boolean;
  /** Writes each event before its dispatch returns, so that not even a kill loses it; the agent waits for the disk. Needs `sendSync`. Default false. */
  readonly writeThrough?: boolean;
  /** Hears of batches that were given up. Default: the bus's own. */
  readonly onError?: (error: HookError) => void;
}

export function checkConnectOptions(options: ConnectSinkOptions): void {
  checkOptions("connectSink", options, rules);
  checkOptions("connectSink queue", options.queue ?? {}, { maxCount: positiveCount, maxBytes: positive });
  checkOptions("connectSink batch", options.batch ?? {}, { maxCount: positiveCount, maxBytes: positive, maxDelayMs: milliseconds });
  checkOptions("connectSink retry", options.retry ?? {}, retryRules);
}

const group: Rule = { accepts: (value) => typeof value === "object" && value !== null, wants: "an object" };

const retryRules: Rules<Omit<RetryOptions, "onRetry" | "onGiveUp">> = {
  maxAttempts: positiveCount,
  baseMs: milliseconds,
  maxMs: milliseconds,
  maxAfterMs: milliseconds,
  random: callback,
  sleep: callback,
};

const rules: Rules<ConnectSinkOptions> = {
  events: { accepts: (value) => typeof value === "string" || Array.isArray(value), wants: "a name, a pattern, or a list of them" },
  redact: { accepts: (value) => Array.isArray(value) || typeof value === "function", wants: "a list of paths, or a function" },
  redactSecrets: flag,
  maxPayloadBytes: positive,
  queue: group,
  overflow: oneOf("drop-oldest", "drop-newest", "block"),
  batch: group,
  retry: group,
  timeoutMs: milliseconds,
  flushOnExit: flag,
  flushOnSignals: flag,
  writeThrough: flag,
  onError: callback,
};
