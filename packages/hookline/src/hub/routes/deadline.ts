import type { ServerResponse } from "node:http";
import { HookError } from "@hookline/core";

/** Runs what has a signal, which is aborted when the time is up or the client goes away. Then it is not waited for any longer. */
export async function within<T>(limitMs: number, outgoing: ServerResponse, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const ended = new Promise<never>((_, reject) => {
    abort.signal.addEventListener("abort", () => reject(abort.signal.reason), { once: true });
  });
  const end = (error: HookError) => () => abort.abort(error);
  const timer = setTimeout(
    end(new HookError("HL_TIMEOUT", `The hub's guards did not decide within ${limitMs} ms.`, { failure: "timeout" })),
    limitMs,
  );
  const gone = end(new HookError("HL_CANCELLED", "The client went away.", { failure: "cancelled" }));
  outgoing.once("close", gone);
  try {
    return await Promise.race([run(abort.signal), ended]);
  } finally {
    clearTimeout(timer);
    outgoing.off("close", gone);
  }
}
