import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { errorText } from "@hookline/core/internal/machine";
import { inertJson, inertText } from "@hookline/core/internal/text";
import type { RuleConfig } from "../../config/config.js";
import { backtest } from "../../hub/backtest/backtest.js";
import { lowerPriority } from "../../hub/backtest/give-way.js";
import type { BacktestAnswer, StatusAnswer } from "../../hub/protocol.js";
import { askingRule } from "../../rules/answers.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { connectIfRunning } from "../hub-client.js";
import { sinceOf } from "../import/since.js";
import { limit, text, time } from "../option-values.js";
import { createProgress } from "../progress.js";
import type { Terminal } from "../terminal.js";
import { storePath } from "../verify/verify-transcript-file.js";
import { printBacktest, printCoverage } from "./backtest-report.js";
import { pickRule, readRules } from "./read-rules.js";
import { readSet } from "./sets.js";

interface BacktestOptions {
  readonly rule?: string;
  readonly set?: string;
  readonly since?: string;
  readonly data?: string;
  readonly examples?: number;
  readonly json?: boolean;
}

const DEFAULT_SINCE = "30d";
const DATA_HELP = "where the store is, if no hub runs (default: as in hookline.toml, else the state folder)";

export const command: CommandModule<BacktestOptions> = {
  define(command) {
    command
      .argument("[file]", "the rules to try (default: your hookline.toml)", text)
      .option("--rule <name>", "only this rule, even if it is disabled or in shadow mode", text)
      .option("--set <name>", "a set of rules that comes with Hookline", text)
      .option("--since <time>", `calls from this time on: 7d, 12h or 2026-01-31 (default: ${DEFAULT_SINCE})`, time)
      .option("-n, --examples <count>", "how many examples of each kind (default: 5)", limit)
      .option("--data <folder>", DATA_HELP, text)
      .option("--json", "print JSON")
      .addHelpText(
        "after",
        "\nSends the recorded calls through the rules and compares their answers with those that rules gave when the calls were made.",
      )
      .addHelpText("after", "A call of which the record hides or cuts something that a rule reads is inconclusive. Hooks are not run.")
      .addHelpText("after", "Exit code 1 when a rule of the file cannot be used.")
      .addHelpText(
        "after",
        "Reads the store only, in a process of its own with low priority, and rests while a hub records: it takes longer beside a busy hub.",
      )
      .addHelpText(
        "after",
        examples(
          "hookline rules backtest",
          "hookline rules backtest --set git-history --since 7d",
          "hookline rules backtest new.toml --rule no-prod",
        ),
      );
  },

  async run(terminal, options, [file]) {
    const { rules, names, isWhole } = await chooseRules(terminal, options, file);
    const answer = await backtestRules(terminal, options, { rules, ...(names !== undefined && { names }) });
    if (options.json) terminal.print(inertJson(JSON.stringify(answer, undefined, 2)));
    else printBacktest(answer, terminal);
    return isWhole ? EXIT.ok : EXIT.failed;
  },
};

/** `hookline rules diff`. */
export const diff: CommandModule<BacktestOptions> = {
  define(command) {
    command
      .argument("[old]", "the file with the rules as they were", text)
      .argument("[new]", "the file with the rules as they would be (default: your hookline.toml)", text)
      .option("--since <time>", `calls from this time on: 7d, 12h or 2026-01-31 (default: ${DEFAULT_SINCE})`, time)
      .option("-n, --examples <count>", "how many examples of each kind (default: 5)", limit)
      .option("--data <folder>", DATA_HELP, text)
      .option("--json", "print JSON")
      .addHelpText("after", "\nSends the recorded calls through both files and shows the calls that they answer differently.")
      .addHelpText("after", examples("hookline rules diff hookline.toml.bak", "hookline rules diff old.toml new.toml --since 7d"));
  },

  async run(terminal, options, [old, next]) {
    if (old === undefined)
      throw new CliError("Name the file with the rules as they were.", {
        exitCode: EXIT.usage,
        fix: { run: "hookline rules diff --help" },
      });
    const before = await readRules(terminal, old);
    const after = await readRules(terminal, next);
    const answer = await backtestRules(terminal, options, { rules: after.rules, before: before.rules });
    if (options.json) terminal.print(inertJson(JSON.stringify(answer, undefined, 2)));
    else printBacktest(answer, terminal);
    return before.rejected.length + after.rejected.length === 0 ? EXIT.ok : EXIT.failed;
  },
};

/** `hookline rules coverage`. */
export const coverage: CommandModule<BacktestOptions> = {
  define(command) {
    command
      .argument("[file]", "the rules to try (default: your hookline.toml)", text)
      .option("--since <time>", `calls from this time on: 7d, 12h or 2026-01-31 (default: ${DEFAULT_SINCE})`, time)
      .option("--data <folder>", DATA_HELP, text)
      .option("--json", "print JSON")
      .addHelpText("after", "\nLists the rules that match none of the recorded calls, and the calls that no rule looks at.")
      .addHelpText("after", examples("hookline rules coverage --since 90d"));
  },

  async run(terminal, options, [file]) {
    const { rules, rejected } = await readRules(terminal, file);
    const answer = await backtestRules(terminal, options, { rules });
    const { rules: rows, unlooked, calls, first, last } = answer;
    const unmatched = rows.filter(({ matched }) => matched === 0).map(({ name }) => name);
    if (options.json) terminal.print(inertJson(JSON.stringify({ calls, first, last, unmatched, unlooked, rules: rows }, undefined, 2)));
    else printCoverage(answer, terminal);
    return rejected.length === 0 ? EXIT.ok : EXIT.failed;
  },
};

interface Chosen {
  readonly rules: readonly RuleConfig[];
  /** The rules whose recorded answers are compared; all without it. */
  readonly names?: readonly string[];
}

interface ChosenByUser extends Chosen {
  /** No rule that was to be tried is broken. */
  readonly isWhole: boolean;
}

async function chooseRules(terminal: Terminal, { rule: name, set }: BacktestOptions, file: string | undefined): Promise<ChosenByUser> {
  if (set !== undefined && file !== undefined)
    throw new CliError("Give a file or --set, not both.", { exitCode: EXIT.usage, fix: { run: "hookline rules backtest --help" } });
  const read =
    set === undefined ? await readRules(terminal, file) : { path: set, text: "", rules: await readSet(set), rejected: [], warnings: [] };
  if (name === undefined && set === undefined) return { rules: read.rules, isWhole: read.rejected.length === 0 };
  const rules = name === undefined ? read.rules : [pickRule(read, name, "try")];
  // A rule that answers says nothing without the rule that asks.
  const asking = rules.flatMap((rule) => askingRule(rule, read.rules) ?? []);
  return {
    rules: [...new Set([...rules, ...asking])].map((rule) => ({ ...rule, enabled: true, mode: "enforce" })),
    names: rules.map((rule) => rule.name),
    isWhole: true,
  };
}

/** Sends the recorded calls through rules. Throws if there is no store. */
export async function backtestRules(
  terminal: Terminal,
  options: BacktestOptions,
  chosen: Chosen & { readonly before?: readonly RuleConfig[] },
): Promise<BacktestAnswer> {
  const store = await findStore(options.data, terminal.env);
  if (!existsSync(store))
    throw new CliError(`There is no store at "${inertText(store)}", so there are no recorded calls.`, { fix: { run: "hookline audit" } });
  lowerPriority();
  const progress = createProgress(terminal);
  try {
    return backtest({
      ...chosen,
      store,
      since: sinceOf(options.since ?? DEFAULT_SINCE),
      ...(options.examples !== undefined && { examples: options.examples }),
      onProgress: (done, total) =>
        progress.show(`${countText(done, "call")}${total > done ? ` of about ${countText(total, "call")}` : ""}`),
    });
  } catch (cause) {
    throw new CliError(`The store at "${inertText(store)}" cannot be read: ${errorText(cause)}.`, {
      fix: { run: "hookline doctor" },
      cause,
    });
  } finally {
    progress.end();
  }
}

/** A running hub says where its store is. */
async function findStore(data: string | undefined, env: NodeJS.ProcessEnv): Promise<string> {
  if (data !== undefined) return storePath(data, env);
  const hub = await connectIfRunning(env).catch(() => undefined);
  const status = await hub?.get<StatusAnswer>("/api/status").catch(() => undefined);
  return storePath(status === undefined ? undefined : resolve(status.data), env);
}
