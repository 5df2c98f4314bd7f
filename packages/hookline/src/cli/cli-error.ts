import type { Fix } from "@hookline/core/internal/machine";
import { EXIT } from "./exit-codes.js";

/** An error for the user of the command line: what went wrong, where and why, and what to do about it. */
export class CliError extends Error {
  readonly exitCode: number;
  readonly fix: Fix | undefined;

  constructor(message: string, details: { readonly exitCode?: number; readonly fix?: Fix | undefined; readonly cause?: unknown } = {}) {
    super(message, details.cause !== undefined ? { cause: details.cause } : undefined);
    this.name = "CliError";
    this.exitCode = details.exitCode ?? EXIT.failed;
    this.fix = details.fix;
  }
}
