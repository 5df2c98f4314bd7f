import type { FailureKind } from "../catalog/errors.js";

/** What stands in the place of a value that must not be seen. */
export function withheld(reason: string): string {
  return `[withheld: ${reason}]`;
}

/**
 * The same for a handler with `onFailure: "closed"` that failed. It names the handler and the kind of failure, and quotes no error: the text
 * of an exception may hold the very value that was to be hidden.
 */
export function withheldBy(event: string, handler: string, failure: FailureKind): unknown {
  const text = withheld(`"${handler}" failed (${failure})`);
  // A process is started with it, so it stays an environment.
  return event === "tool:env" ? { HOOKLINE_WITHHELD: text } : text;
}
