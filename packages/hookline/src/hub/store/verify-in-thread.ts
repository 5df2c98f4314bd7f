import { Worker } from "node:worker_threads";
import { threadProgram } from "../../machine/thread-program.js";
import type { KeptHead, VerifyAnswer } from "../protocol.js";

/** As `verifyStore`, in a thread of its own, which ends with it or with the signal. */
export function verifyInThread(path: string, kept: readonly KeptHead[], signal: AbortSignal): Promise<VerifyAnswer> {
  const worker = new Worker(threadProgram(new URL("./verify-worker.js", import.meta.url)), { workerData: { path, kept }, execArgv: [] });
  const stop = (): void => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  return new Promise<VerifyAnswer>((resolve, reject) => {
    worker.once("message", resolve).once("error", reject);
    worker.once("exit", () => reject(signal.reason ?? new Error("The store could not be verified: its thread has ended.")));
  }).finally(() => signal.removeEventListener("abort", stop));
}
