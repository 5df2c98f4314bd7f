// A thread for one backtest: the rules are parsed and compiled here too, because text from a form may be anything.
import { parentPort, workerData } from "node:worker_threads";
import { parseConfig } from "../../config/load-config.js";
import { formatProblem } from "../../config/problem.js";
import { backtest } from "./backtest.js";
import type { BacktestReply, BacktestRequest } from "./run-in-thread.js";

const { text, ...request } = workerData as BacktestRequest;
parentPort?.postMessage(await run());

async function run(): Promise<BacktestReply> {
  const { config, problems } = await parseConfig(text, "the rule");
  const [problem] = problems;
  if (problem !== undefined) return { problem: formatProblem(problem) };
  const rules = (config?.rules ?? []).map((rule) => ({ ...rule, enabled: true, mode: "enforce" as const }));
  if (rules.length === 0) return { problem: "The text has no [[rule]] table." };
  return { answer: backtest({ ...request, rules, names: rules.map(({ name }) => name) }) };
}
