import { Worker } from "node:worker_threads";
import { HookError } from "@hookline/core";
import { threadProgram } from "../../machine/thread-program.js";
import type { Rule } from "../../rules/rule.js";
import type { BacktestAnswer, SuggestionsAnswer } from "../protocol.js";
import type { SuggestOptions } from "./suggest-rules.js";

/** A backtest that the dashboard asks for. */
export interface BacktestRequest {
  readonly store: string;
  /** Tables of rules, or rules in force. */
  readonly rules: string | readonly Rule[];
  readonly since: number;
  readonly maxEvents: number;
}

/** What the thread does. */
export type ThreadTask = ({ readonly task: "backtest" } & BacktestRequest) | ({ readonly task: "suggest" } & SuggestOptions);

/** What the thread sends. */
export type ThreadReply = { readonly answer: BacktestAnswer | SuggestionsAnswer } | { readonly problem: string };

/** In a thread of its own, which ends with it or with the signal: the hub's own thread keeps answering. Rejects with `HL_CONFIG` for text without valid rules. */
export function backtestInThread(request: BacktestRequest, signal: AbortSignal): Promise<BacktestAnswer> {
  return runInThread({ task: "backtest", ...request }, signal) as Promise<BacktestAnswer>;
}

/** The same for the rules that approvals suggest. */
export function suggestInThread(options: SuggestOptions, signal: AbortSignal): Promise<SuggestionsAnswer> {
  return runInThread({ task: "suggest", ...options }, signal) as Promise<SuggestionsAnswer>;
}

function runInThread(task: ThreadTask, signal: AbortSignal): Promise<BacktestAnswer | SuggestionsAnswer> {
  const worker = new Worker(threadProgram(new URL("./backtest-worker.js", import.meta.url)), { workerData: task, execArgv: [] });
  const stop = (): void => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  return new Promise<BacktestAnswer | SuggestionsAnswer>((resolve, reject) => {
    worker.once("message", (reply: ThreadReply) => {
      if ("answer" in reply) resolve(reply.answer);
      else reject(new HookError("HL_CONFIG", reply.problem, { fix: "Correct the rule." }));
    });
    worker.once("error", reject);
    worker.once("exit", () => reject(signal.reason ?? new Error("The backtest's thread has ended.")));
  }).finally(() => signal.removeEventListener("abort", stop));
}
