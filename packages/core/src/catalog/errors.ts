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

export interface HookErrorDetails {
  /** The event, handler and owner at fault, where there is one. */
  readonly event?: string | undefined;
  readonly handler?: string | undefined;
  readonly owner?: string | undefined;
  readonly failure?: FailureKind | undefined;
  /** Offset in the text that could not be compiled. */
  readonly position?: number | undefined;
  readonly cause?: unknown;
}

/** The one error class: a code per cause, a sentence that names the culprit and the way out. */
export class HookError extends Error {
  readonly code: ErrorCode;
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
    this.event = details.event;
    this.handler = details.handler;
    this.owner = details.owner;
    this.failure = details.failure;
    this.position = details.position;
  }
}
