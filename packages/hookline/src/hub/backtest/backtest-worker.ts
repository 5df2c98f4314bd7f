// A thread for one backtest, or for one search for suggestions: the rules are parsed and compiled here too, because text from a form may be anything.
import { parentPort, workerData } from "node:worker_threads";
import { parseConfig } from "../../config/load-config.js";
import { formatProblem } from "../../config/problem.js";
import type { Rule } from "../../rules/rule.js";
import { backtest } from "./backtest.js";
import { lowerPriority } from "./give-way.js";
import type { BacktestRequest, ThreadReply, ThreadTask } from "./run-in-thread.js";
import { suggestRules } from "./suggest-rules.js";

const given = workerData as ThreadTask;
lowerPriority();
parentPort?.postMessage(given.task === "suggest" ? { answer: suggestRules(given) } : await run(given));

async function run({ rules: given, ...request }: BacktestRequest): Promise<ThreadReply> {
  const found = typeof given === "string" ? await parse(given) : given;
  if (typeof found === "string") return { problem: found };
  const rules = found.map((rule) => ({ ...rule, enabled: true, mode: "enforce" as const }));
  return { answer: backtest({ ...request, rules, names: rules.map(({ name }) => name) }) };
}

/** The rules, or what is wrong with the text. */
async function parse(text: string): Promise<readonly Rule[] | string> {
  const { config, problems } = await parseConfig(text, "the rule");
  const [problem] = problems;
  if (problem !== undefined) return formatProblem(problem);
  const rules = config?.rules ?? [];
  return rules.length === 0 ? "The text has no [[rule]] table." : rules;
}
