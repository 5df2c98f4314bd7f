import { type ErrorCode, HookError } from "@hookline/core";

interface RefusedDetails {
  /** The way out. */
  readonly fix?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly cause?: unknown;
}

/** A request is not done, and this is the answer: a status, and why. */
export class Refused extends HookError {
  readonly status: number;
  readonly fix: string | undefined;
  readonly headers: { readonly [name: string]: string };

  constructor(status: number, code: ErrorCode, message: string, details: RefusedDetails = {}) {
    super(code, message, "cause" in details ? { cause: details.cause } : {});
    this.status = status;
    this.fix = details.fix;
    this.headers = details.headers ?? {};
  }
}

export function badRequest(message: string, fix?: string): Refused {
  return new Refused(400, "HL_BAD_REQUEST", message, fix === undefined ? {} : { fix });
}
