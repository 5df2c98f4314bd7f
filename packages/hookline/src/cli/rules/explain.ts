import { resolve } from "node:path";
import { errorText } from "@hookline/core/internal/machine";
import { inertJson, inertText } from "@hookline/core/internal/text";
import { commandsOf } from "../../commands/commands-of.js";
import type { CommandFact, Flow, PathFact } from "../../commands/facts.js";
import { explainRule, type RuleExplanation } from "../../rules/command/explain-rule.js";
import type { Rule } from "../../rules/rule.js";
import { recommended } from "../../rules/starter/starter-rules.js";
import { conditionText, hasState } from "../../rules/state/state-condition.js";
import { compileWhen } from "../../rules/when.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { text } from "../option-values.js";
import type { Terminal } from "../terminal.js";
import { readRules } from "./read-rules.js";
import { readSet, rulesOfSets } from "./sets.js";

const ALL = "all";

interface ExplainOptions {
  readonly config?: string;
  readonly set?: string;
  readonly cwd?: string;
  readonly json?: boolean;
}

export const command: CommandModule<ExplainOptions> = {
  define(command) {
    command
      .argument("[command]", "the command, as one text", text)
      .option("--config <file>", "the hookline.toml to use (default: in the config folder)", text)
      .option("--set <name>", "explain the rules of a set that comes with Hookline, or of all sets: --set all", text)
      .option("--cwd <folder>", "the folder that the command runs in (default: this one)", text)
      .option("--json", "print JSON")
      .addHelpText(
        "after",
        "\nNothing is run, and no hub is needed. Shows what the command does, which rules apply and why the others do not. If no rule of yours asks about commands, it explains the sets that come with Hookline.",
      )
      .addHelpText("after", examples("hookline rules explain 'rm -rf build'", "hookline rules explain --set all 'curl x.org | sh'"));
  },

  run: explainCommand,
};

async function explainCommand(terminal: Terminal, options: ExplainOptions, [given]: readonly string[]): Promise<number> {
  if (given === undefined)
    throw new CliError("Give a command.", { exitCode: EXIT.usage, fix: { run: "hookline rules explain 'rm -rf build'" } });
  const own = options.set === undefined ? (await readRules(terminal, options.config)).rules : [];
  // Without rules of one's own there is nothing to explain, and the sets are what one would add.
  const isAboutSets = options.set === undefined && !own.some(asksAboutCommands);
  const rules =
    options.set === undefined && !isAboutSets
      ? own
      : await (options.set === undefined || options.set === ALL ? rulesOfSets(recommended.sets) : readSet(options.set, [ALL]));
  const cwd = resolve(options.cwd ?? ".");
  const payload = { tool: { name: "Bash", input: { command: given } }, cwd };
  const facts = commandsOf({ payload });
  const explained = rules
    .filter(({ enabled }) => enabled !== false)
    .map((rule) => withMemory(rule, withWhen(rule, explainRule(rule, facts, cwd), payload)));
  const asked = explained.filter(({ answer }) => answer !== "other");
  if (options.json === true) terminal.print(inertJson(JSON.stringify({ cwd, commands: facts, rules: explained }, undefined, 2)));
  else printAll(terminal, facts, asked);
  if (isAboutSets)
    terminal.say(
      "No rule of yours asks about commands. These are the rules of the sets that come with Hookline. To add a set: hookline rules add <set>",
    );
  return EXIT.ok;
}

function asksAboutCommands({ command, when, enabled }: Rule): boolean {
  return enabled !== false && (command !== undefined || when !== undefined);
}

/** The same with the rule's condition in CEL. */
function withWhen({ when, events }: Rule, explained: RuleExplanation, payload: object): RuleExplanation {
  if (when === undefined || explained.answer === "no") return explained;
  try {
    const answer = compileWhen({ when, events }).answer(payload);
    if (answer === false) return { ...explained, answer: "no", why: '"when" is false' };
    if (typeof answer === "string") return { ...explained, answer: "unknown", why: answer };
    return explained.answer === "other" ? { ...explained, answer: "matches", why: '"when" is true' } : explained;
  } catch (error) {
    return { ...explained, answer: "matches", why: `it fails. ${errorText(error)}` };
  }
}

/** A rule that applies to the call may wait for more. */
function withMemory(rule: Rule, explained: RuleExplanation): RuleExplanation {
  if (!hasState(rule) || explained.answer === "no" || explained.answer === "other") return explained;
  return { ...explained, why: `${explained.why}; it acts ${conditionText(rule)}` };
}

function printAll(terminal: Terminal, facts: readonly CommandFact[], rules: readonly RuleExplanation[]): void {
  for (const [index, fact] of facts.entries()) {
    terminal.print(`${index + 1}. ${inertText(titleOf(fact))}`);
    for (const [name, value] of linesOf(fact)) terminal.print(`   ${`${name}:`.padEnd(11)} ${inertText(value)}`);
  }
  if (facts.length === 0) terminal.print("The text runs no command.");
  for (const { rule, do: action, answer, command, why } of rules.toSorted((a, b) => order.indexOf(a.answer) - order.indexOf(b.answer))) {
    const mark = answer === "no" ? " " : terminal.paint(answer === "matches" ? "red" : "yellow", answer === "matches" ? "✗" : "?");
    const verdict = answer === "no" ? "does not apply" : answer === "matches" ? `applies (${action})` : "may apply";
    terminal.print(`${mark} ${inertText(rule)} ${verdict}: ${inertText(why)}${command === undefined ? "" : `, in command ${command}`}`);
  }
}

const order: readonly RuleExplanation["answer"][] = ["matches", "unknown", "no", "other"];

function titleOf({ program, via, args, privileged }: CommandFact): string {
  const words = [program === "" ? "(unknown program)" : program, ...args.map(({ text }) => text)].join(" ");
  return `${words}${via.length === 0 ? "" : `, via ${via.join(", ")}`}${privileged ? ", privileged" : ""}`;
}

/** The facts that say something. */
function linesOf(fact: CommandFact): (readonly [name: string, value: string])[] {
  const {
    verb,
    target,
    options,
    dir,
    reads,
    loads,
    writes,
    deletes,
    changes,
    recursive,
    hosts,
    sends,
    receives,
    stdin,
    runs,
    sql,
    destroys,
    unknown,
  } = fact;
  const paths = (list: readonly PathFact[]) => list.map(({ path }) => path).join(", ");
  const flows = (list: readonly Flow[]) => list.map(({ from }) => from).join(", ");
  const all: (readonly [string, string])[] = [
    ["verb", verb],
    ["target", target.join(", ")],
    ["options", options.map(({ name }) => name).join(" ")],
    ["dir", dir.path],
    ["reads", paths(reads)],
    ["loads", paths(loads)],
    ["writes", paths(writes)],
    ["deletes", `${paths(deletes)}${recursive && deletes.length > 0 ? ", with everything below" : ""}`],
    ["changes", `${paths(changes)}${recursive && changes.length > 0 ? ", with everything below" : ""}`],
    ["hosts", hosts.join(", ")],
    ["receives", receives ? "yes" : ""],
    ["sends", flows(sends)],
    ["stdin", flows(stdin)],
    ["runs", flows(runs)],
    ["sql", sql.map((statement) => `${statement.verb} ${statement.target}${statement.where ? " where …" : ""}`).join("; ")],
    ["destroys", destroys.join(", ")],
    ["unknown", [...new Set(Object.values(unknown))].join("; ")],
  ];
  return all.filter(([, value]) => value !== "");
}
