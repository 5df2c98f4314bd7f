import type { ErrorCode } from "./error-codes.js";

/** Why a handler, or whatever stood behind it, gave no usable answer. None of these is ever a person's decision. */
export type FailureKind =
  | "timeout"
  | "crash"
  | "spawn_error"
  | "protocol_error"
  | "invalid_verdict"
  | "overloaded"
  | "untrusted"
  | "disabled"
  | "suspended"
  | "cancelled";

/** What to do about an error: a sentence, or a command to run. */
export type Fix = string | { readonly run: string };

/** The details of a `HookError`. */
export interface HookErrorDetails {
  readonly fix?: Fix | undefined;
  /** The event, handler and owner at fault, where there is one. */
  readonly event?: string | undefined;
  readonly handler?: string | undefined;
  readonly owner?: string | undefined;
  readonly failure?: FailureKind | undefined;
  /** Offset in the text that could not be compiled. */
  readonly position?: number | undefined;
  readonly cause?: unknown;
}

/** The one error class: a code per cause, a message that says what is wrong, where and why, and a fix that says what to do. */
export class HookError extends Error {
  readonly code: ErrorCode;
  /** What to do about it. `errorText` gives the message and the fix as one text. */
  readonly fix: Fix | undefined;
  readonly event: string | undefined;
  readonly handler: string | undefined;
  readonly owner: string | undefined;
  readonly failure: FailureKind | undefined;
  readonly position: number | undefined;
  /** What follows from it, where that is known only later. */
  note: string | undefined;

  constructor(code: ErrorCode, message: string, details: HookErrorDetails = {}) {
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    this.name = "HookError";
    this.code = code;
    this.fix = details.fix;
    this.event = details.event;
    this.handler = details.handler;
    this.owner = details.owner;
    this.failure = details.failure;
    this.position = details.position;
  }

  override toString(): string {
    return `${this.name}: ${errorText(this)}`;
  }
}

/** Runs something whose failure changes nothing and has no place to be reported, such as a listener of errors. `undefined` if it throws. */
export function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** What to do, as text: `Run: hookline status`. */
export function fixText(fix: Fix): string {
  return typeof fix === "string" ? fix : `Run: ${fix.run}`;
}

/** A message and what to do, as one text. */
export function withFix(message: string, fix: Fix | undefined): string {
  return fix === undefined ? message : `${message}${/[.?!]$/.test(message) ? "" : "."} ${fixText(fix)}`;
}

/** What a person should read of an error: its message and, if it is ours and has one, its fix. */
export function errorText(error: unknown): string {
  if (error instanceof HookError) return withFix(error.message, error.fix);
  return error instanceof Error ? error.message : String(error);
}
