import type { ServerResponse } from "node:http";
import { HookError } from "@hookline/core";

/** Runs what has a signal, which is aborted when the time is up or the client goes away. Then it is not waited for any longer. */
export function within<T>(limitMs: number, outgoing: ServerResponse, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return signalled(limitMs, outgoing, (signal) => {
    const ended = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    return Promise.race([run(signal), ended]);
  });
}

/** The same for what has something to do then, and ends by itself. */
export async function signalled<T>(limitMs: number, outgoing: ServerResponse, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  // Errors are made only when they are needed: their stacks take longer than the rest of this.
  const timer = setTimeout(
    () => abort.abort(new HookError("HL_TIMEOUT", `The hub's guards did not decide within ${limitMs} ms.`, { failure: "timeout" })),
    limitMs,
  );
  const gone = () => abort.abort(new HookError("HL_CANCELLED", "The client went away.", { failure: "cancelled" }));
  outgoing.once("close", gone);
  try {
    return await run(abort.signal);
  } finally {
    clearTimeout(timer);
    outgoing.off("close", gone);
  }
}
