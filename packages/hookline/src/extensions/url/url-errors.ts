import { type FailureKind, type Fix, HookError } from "@hookline/core";

/** There was no connection, so the server was not asked. */
export function unreachable(error: unknown): HookError {
  const code = String((error as NodeJS.ErrnoException).code);
  const fix = CERTIFICATE.test(code)
    ? "Give the server a certificate for this host, or name your own authority in NODE_EXTRA_CA_CERTS."
    : "Check the URL, and that the server runs.";
  return new HookError("HL_URL_UNREACHABLE", `It cannot be reached: ${reasonOf(error)}.`, { fix, failure: "spawn_error" });
}

/** The connection ended before the answer was complete. */
export function lost(error: unknown): HookError {
  const message = `The connection was lost before the answer was complete: ${reasonOf(error)}.`;
  return new HookError("HL_URL_LOST", message, { fix: "Look at the server's log.", failure: "crash" });
}

/** The server's response is not a valid answer. */
export function noAnswer(what: string, fix?: Fix, failure: FailureKind = "protocol_error"): HookError {
  return new HookError("HL_URL_ANSWER", what, { fix, failure });
}

/** The request cannot be sent, so the server was not asked. */
export function unsendable(what: string, failure: FailureKind = "spawn_error"): HookError {
  return new HookError("HL_URL_REQUEST", `${what}, so it was not asked.`, { failure });
}

const CERTIFICATE = /CERT|SIGNED|ALTNAME|UNABLE_TO|CRL/;

// A host name with several addresses fails with a list of errors and an empty message.
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join("; ");
  return (error instanceof Error ? error.message : String(error)).trim().replace(/\.$/, "");
}
