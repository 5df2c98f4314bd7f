import { callback, checkOptions, filePath, flag, type Rules } from "../bus/option-rules.js";
import { createStderrReporter, type ErrorListener } from "../bus/reporter.js";
import { HookError } from "../catalog/errors.js";
import type { RedactOptions } from "../redact/redact.js";

/** Options of `createTranscript`. */
export interface TranscriptOptions extends RedactOptions {
  /** A file to append to. Without `path` and `write` the entries stay in memory. */
  readonly path?: string;
  /** Gets each line, without its line end. */
  readonly write?: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Hears of entries that could not be recorded, once per run of failures. Default: a line on stderr. */
  readonly onError?: ErrorListener;
}

export type TranscriptSettings = Omit<TranscriptOptions, "now" | "onError"> & Required<Pick<TranscriptOptions, "now" | "onError">>;

/** The options with their defaults; throws `HL_UNKNOWN_OPTION` or `HL_BAD_OPTION`. */
export function readTranscriptOptions(options: TranscriptOptions): TranscriptSettings {
  checkOptions("createTranscript", options, rules);
  if (options.path !== undefined && options.write !== undefined)
    throw new HookError("HL_BAD_OPTION", `createTranscript: "path" and "write" must be given one without the other.`);
  return { ...options, now: options.now ?? Date.now, onError: options.onError ?? createStderrReporter() };
}

const rules: Rules<TranscriptOptions> = {
  path: filePath,
  write: callback,
  redact: { accepts: (value) => Array.isArray(value) || callback.accepts(value), wants: "a list of paths, or a function" },
  redactSecrets: flag,
  now: callback,
  onError: callback,
};
