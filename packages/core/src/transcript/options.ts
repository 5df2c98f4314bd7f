import { createStderrReporter, type ErrorListener } from "../bus/reporter.js";
import { didYouMean } from "../catalog/did-you-mean.js";
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
  if (typeof options !== "object" || options === null) throw bad("options", "an object");
  for (const [key, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, key) ? rules[key as keyof TranscriptOptions] : undefined;
    if (rule === undefined)
      throw new HookError("HL_UNKNOWN_OPTION", `createTranscript has no option "${key}".${didYouMean(key, Object.keys(rules))}`);
    if (value !== undefined && !rule.accepts(value)) throw bad(`"${key}"`, rule.wants);
  }
  if (options.path !== undefined && options.write !== undefined) throw bad(`"path" and "write"`, "given one without the other");
  return { ...options, now: options.now ?? Date.now, onError: options.onError ?? createStderrReporter() };
}

interface Rule {
  readonly accepts: (value: unknown) => boolean;
  readonly wants: string;
}

const callback: Rule = { accepts: (value) => typeof value === "function", wants: "a function" };

const rules: { readonly [K in keyof Required<TranscriptOptions>]: Rule } = {
  path: { accepts: (value) => typeof value === "string" && value !== "" && !value.includes("\0"), wants: "the path of a file" },
  write: callback,
  redact: { accepts: (value) => Array.isArray(value) || callback.accepts(value), wants: "a list of paths, or a function" },
  redactSecrets: { accepts: (value) => typeof value === "boolean", wants: "true or false" },
  now: callback,
  onError: callback,
};

function bad(what: string, wants: string): HookError {
  return new HookError("HL_BAD_OPTION", `createTranscript: ${what} must be ${wants}.`);
}
