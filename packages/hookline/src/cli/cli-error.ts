import { EXIT } from "./exit-codes.js";

/** Something a user is told: what went wrong, where and why, and the command to run next. */
export class CliError extends Error {
  readonly exitCode: number;
  /** What to type next. */
  readonly next: string | undefined;

  constructor(message: string, details: { readonly exitCode?: number; readonly next?: string | undefined; readonly cause?: unknown } = {}) {
    super(message, details.cause !== undefined ? { cause: details.cause } : undefined);
    this.name = "CliError";
    this.exitCode = details.exitCode ?? EXIT.failed;
    this.next = details.next;
  }
}
