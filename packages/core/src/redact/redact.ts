import { messageOf } from "../bus/describe-error.js";
import { HookError } from "../catalog/errors.js";
import { copyJsonSafe } from "../text/json-safe.js";
import { redacted } from "./markers.js";
import { compileRedaction, hidePath, type KeyPath } from "./paths.js";
import { hideSecretText } from "./secret-shapes.js";
import { hideSecrets } from "./secrets.js";

/** Gets a copy of a payload, which it may change, and gives what is to be recorded. */
export type RedactFunction = (payload: unknown) => unknown;

/** What is hidden in copies of an event. */
export interface RedactOptions {
  /** Paths such as `tool.input.env.*`, or a function. A transform's value stands at `value`, that of `tool:result` at `tool.output`. */
  readonly redact?: readonly string[] | RedactFunction;
  /** Whether to hide what stands under secret-looking names. Default true. */
  readonly redactSecrets?: boolean;
}

export interface RedactorOptions extends RedactOptions {
  /** Whether to hide what has the shape of a secret within text, too. Default false: a transcript's replay compares text exactly. */
  readonly redactText?: boolean;
}

/** Makes copies for the record: JSON without the secrets. */
export interface Redactor {
  payload(payload: unknown): unknown;
  /** A part of a payload that stands alone: it is redacted as if it were in its place. */
  part(payload: unknown, place: KeyPath, part: unknown): unknown;
  /** Any other data: only secret-looking names are hidden. */
  data(value: unknown): unknown;
}

export function createRedactor(options: RedactorOptions, report: (error: HookError) => void): Redactor {
  const { redact = [], redactSecrets = true, redactText = false } = options;
  const custom = typeof redact === "function" ? redact : undefined;
  const paths = typeof redact === "function" ? [] : redact.flatMap(compileRedaction);

  function data(value: unknown): unknown {
    const copy = copyJsonSafe(value);
    if (redactSecrets) hideSecrets(copy);
    return redactText ? hideSecretText(copy) : copy;
  }

  function payload(given: unknown): unknown {
    const copy = paths.reduce<unknown>(hidePath, data(given));
    return custom === undefined ? copy : customised(custom, copy);
  }

  function customised(change: RedactFunction, copy: unknown): unknown {
    try {
      const result = change(copy);
      return result === undefined ? redacted() : copyJsonSafe(result);
    } catch (cause) {
      const message = `The redact function failed, so a whole payload is hidden: ${messageOf(cause)}`;
      report(new HookError("HL_REDACT_FAILED", message, { cause }));
      return redacted();
    }
  }

  function part(given: unknown, place: KeyPath, member: unknown): unknown {
    const found = readAt(payload(withMember(copyJsonSafe(given), place, data(member))), place);
    return found === undefined ? redacted() : found;
  }

  return { payload, part, data };
}

function withMember(holder: unknown, [key, ...rest]: KeyPath, member: unknown): unknown {
  if (key === undefined) return member;
  const record = typeof holder === "object" && holder !== null && !Array.isArray(holder) ? (holder as Record<string, unknown>) : {};
  return { ...record, [key]: withMember(record[key], rest, member) };
}

function readAt(node: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null && Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined),
    node,
  );
}
