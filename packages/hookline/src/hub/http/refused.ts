import { type ErrorCode, type Fix, HookError } from "@hookline/core";
import type { ConfirmNeeded } from "../protocol.js";

interface RefusedDetails {
  readonly fix?: Fix | undefined;
  readonly headers?: { readonly [name: string]: string };
  readonly cause?: unknown;
  /** What the client needs to confirm the request. */
  readonly confirm?: ConfirmNeeded;
}

/** A request is not done, and this is the answer: a status, and why. */
export class Refused extends HookError {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly confirm: ConfirmNeeded | undefined;

  constructor(status: number, code: ErrorCode, message: string, details: RefusedDetails = {}) {
    super(code, message, { fix: details.fix, ...("cause" in details && { cause: details.cause }) });
    this.status = status;
    this.headers = details.headers ?? {};
    this.confirm = details.confirm;
  }
}

/** The same error as the answer to a request. */
export function refusedWith(status: number, { code, message, fix }: HookError): Refused {
  return new Refused(status, code, message, { fix });
}

export function badRequest(message: string, fix?: Fix): Refused {
  return new Refused(400, "HL_BAD_REQUEST", message, { fix });
}

/** Turns an error with one of these codes into a refusal with that status. */
export async function refusedAs<T>(statuses: { readonly [code: string]: number }, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    // By the code alone: a package beside the bundled hub has its own copy of the class.
    const status = error instanceof Error && "code" in error ? statuses[String(error.code)] : undefined;
    throw status === undefined ? error : refusedWith(status, error as HookError);
  }
}
