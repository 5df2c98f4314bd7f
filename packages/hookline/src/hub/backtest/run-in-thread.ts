import { Worker } from "node:worker_threads";
import { HookError } from "@hookline/core";
import type { Rule } from "../../rules/rule.js";
import type { BacktestAnswer } from "../protocol.js";

/** A backtest that the dashboard asks for. */
export interface BacktestRequest {
  readonly store: string;
  /** Tables of rules, or rules in force. */
  readonly rules: string | readonly Rule[];
  readonly since: number;
  readonly maxEvents: number;
}

/** What the thread sends. */
export type BacktestReply = { readonly answer: BacktestAnswer } | { readonly problem: string };

/** In a thread of its own, which ends with it or with the signal: the hub's own thread keeps answering. Rejects with `HL_CONFIG` for text without valid rules. */
export function backtestInThread(request: BacktestRequest, signal: AbortSignal): Promise<BacktestAnswer> {
  const worker = new Worker(new URL("./backtest-worker.js", import.meta.url), { workerData: request, execArgv: [] });
  const stop = (): void => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  return new Promise<BacktestAnswer>((resolve, reject) => {
    worker.once("message", (reply: BacktestReply) => {
      if ("answer" in reply) resolve(reply.answer);
      else reject(new HookError("HL_CONFIG", reply.problem, { fix: "Correct the rule." }));
    });
    worker.once("error", reject);
    worker.once("exit", () => reject(signal.reason ?? new Error("The backtest's thread has ended.")));
  }).finally(() => signal.removeEventListener("abort", stop));
}
