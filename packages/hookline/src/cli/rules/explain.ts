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
import { countText } from "../format/amounts.js";
import { cutTo } from "../format/display-width.js";
import { text } from "../option-values.js";
import type { Terminal } from "../terminal.js";
import { type CallVerdict, judgeCall } from "./call-verdict.js";
import { readRules } from "./read-rules.js";
import { readSet, rulesOfSets } from "./sets.js";

const ALL = "all";

interface ExplainOptions {
  readonly config?: string;
  readonly set?: string;
  readonly cwd?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

export const command: CommandModule<ExplainOptions> = {
  define(command) {
    command
      .argument("[command]", "the command, as one text", text)
      .option("--config <file>", "the hookline.toml to use (default: in the config folder)", text)
      .option("--set <name>", "explain the rules of a set that comes with Hookline, or of all sets: --set all", text)
      .option("--cwd <folder>", "the folder that the command runs in (default: this one)", text)
      .option("--all", "also say why the other rules do not apply")
      .option("--json", "print JSON")
      .addHelpText(
        "after",
        "\nNothing is run, and no hub is needed. The first line is the verdict for this call. Then follow what the command does and the rules that apply. If no rule of yours asks about commands, it explains the sets that come with Hookline.",
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
  const judged = await judgeCall(rules, payload);
  if (options.json === true) {
    const { said: _, ...call } = judged;
    terminal.print(inertJson(JSON.stringify({ ...call, cwd, commands: facts, rules: explained }, undefined, 2)));
  } else {
    printVerdict(terminal, judged, explained.length);
    printFacts(terminal, facts);
    printRules(terminal, { facts, explained, judged, shadow: shadowed(rules), all: options.all === true });
  }
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

function shadowed(rules: readonly Rule[]): ReadonlySet<string> {
  return new Set(rules.filter(({ mode }) => mode === "shadow").map(({ name }) => name));
}

const colours = { deny: "red", ask: "yellow", allow: "green", pass: "green" } as const;

function printVerdict({ print, paint }: Terminal, { verdict, rule, reason }: CallVerdict, count: number): void {
  const said = rule === undefined ? nothing(count) : `${rule}: ${reason ?? "it says no more."}`;
  print(`${paint(colours[verdict], verdict.padEnd(4))}  ${inertText(said)}`);
}

function nothing(count: number): string {
  return count === 1 ? "The rule says nothing about this call." : `None of the ${count} rules says anything about this call.`;
}

function printFacts(terminal: Terminal, facts: readonly CommandFact[]): void {
  for (const [index, fact] of facts.entries()) {
    terminal.print(`${index + 1}. ${inertText(titleOf(fact))}`);
    for (const [name, value] of linesOf(fact)) terminal.print(`   ${`${name}:`.padEnd(11)} ${inertText(value)}`);
  }
  if (facts.length === 0) terminal.print("The text runs no command.");
}

interface Explained {
  readonly facts: readonly CommandFact[];
  readonly explained: readonly RuleExplanation[];
  readonly judged: CallVerdict;
  readonly shadow: ReadonlySet<string>;
  /** Also those that do not apply. */
  readonly all: boolean;
}

/** The rules that speak, and the number of the others. A rule that asks about something else than commands may speak, too. */
function printRules({ print, paint }: Terminal, { facts, explained, judged, shadow, all }: Explained): void {
  const speaks = ({ rule, answer }: RuleExplanation): boolean => answer === "matches" || answer === "unknown" || judged.said.has(rule);
  const others = explained.filter((one) => !speaks(one));
  for (const one of explained.filter(speaks).toSorted((a, b) => order.indexOf(a.answer) - order.indexOf(b.answer))) {
    const label = `${one.do}${one.answer === "unknown" ? "?" : ""}`.padEnd(6);
    const note = shadow.has(one.rule) ? " In shadow mode: it is only recorded." : "";
    print(`${paint(one.answer === "unknown" ? "yellow" : "red", label)} ${inertText(`${one.rule}: ${whyOf(one, facts, judged)}${note}`)}`);
  }
  if (all) for (const { rule, why, command } of others) print(inertText(`-      ${rule}: ${why}${placeOf(command)}`));
  else if (others.length > 0)
    print(`${countText(others.length, "other rule")} ${others.length === 1 ? "does" : "do"} not apply. To see why: add --all`);
}

const order: readonly RuleExplanation["answer"][] = ["matches", "other", "unknown", "no"];

function whyOf({ rule, answer, command, why }: RuleExplanation, facts: readonly CommandFact[], { said }: CallVerdict): string {
  const fact = command === undefined ? undefined : facts[command - 1];
  if (answer === "other" || answer === "no") return said.get(rule) ?? why;
  if (fact === undefined) return why;
  const title = `command ${command} is "${cutTo(wordsOf(fact), MAX_TITLE)}"`;
  return answer === "unknown" ? `${title}, and ${why}` : `${title} (${why})`;
}

const MAX_TITLE = 50;

function placeOf(command: number | undefined): string {
  return command === undefined ? "" : `, in command ${command}`;
}

function titleOf({ via, privileged, ...fact }: CommandFact): string {
  return `${wordsOf(fact)}${via.length === 0 ? "" : `, via ${via.join(", ")}`}${privileged ? ", privileged" : ""}`;
}

function wordsOf({ program, args }: Pick<CommandFact, "program" | "args">): string {
  return [program === "" ? "(unknown program)" : program, ...args.map(({ text }) => text)].join(" ");
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
