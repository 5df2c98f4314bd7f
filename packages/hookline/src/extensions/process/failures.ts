import { type ErrorCode, type FailureKind, type Fix, HookError } from "@hookline/core";

/** The failure kind of an extension's error in the record, by its code. */
const failureOf = {
  HL_EXTENSION_COMMAND: "spawn_error",
  HL_EXTENSION_SCRIPT: "spawn_error",
  HL_EXTENSION_NOT_EXECUTABLE: "spawn_error",
  HL_EXTENSION_FOLDER: "spawn_error",
  HL_EXTENSION_CONFIG: "spawn_error",
  HL_EXTENSION_START: "spawn_error",
  HL_EXTENSION_CRASHED: "crash",
  HL_EXTENSION_PROTOCOL: "protocol_error",
  HL_FRAME_TOO_LARGE: "protocol_error",
  HL_EXTENSION_ANSWER: "invalid_verdict",
  HL_EXTENSION_OVERLOADED: "overloaded",
  HL_EXTENSION_STOPPED: "disabled",
  HL_HANDLER_FAILED: "crash",
  HL_TIMEOUT: "timeout",
} as const satisfies Partial<Record<ErrorCode, FailureKind>>;

export type ExtensionCode = keyof typeof failureOf;

/** `Extension "guard" <what>` */
export function extensionError(name: string, code: ExtensionCode, what: string, cause?: unknown, fix = fixOf(cause)): HookError {
  const details = { fix, owner: name, failure: failureOf[code] };
  return new HookError(code, `Extension "${name}" ${what}`, cause === undefined ? details : { ...details, cause });
}

function fixOf(cause: unknown): Fix | undefined {
  return cause instanceof HookError ? cause.fix : undefined;
}
