import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { inertJson, inertText } from "@hookline/core/internal/text";
import { sendersOf } from "../../agents/agent-sender.js";
import { type KnownTools, toolNote } from "../../agents/tool-note.js";
import type { RuleConfig } from "../../config/config.js";
import { refusedInProject } from "../../rules/register-rules.js";
import type { RuleExample } from "../../rules/rule.js";
import type { Senders } from "../../rules/sender.js";
import { type ExampleResult, testRulesFrom } from "../../rules/test-rules.js";
import { readKnownTools } from "../agents/known-tools.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { text } from "../option-values.js";
import type { Terminal } from "../terminal.js";
import { pickRule, type ReadRules, readRules } from "./read-rules.js";

const PROGRESS_MS = 1_000;

interface TestOptions {
  readonly config?: string;
  readonly json?: boolean;
}

export const command: CommandModule<TestOptions> = {
  define(command) {
    command
      .argument("[rule or file]", "one rule, or a file of rules (default: every rule)", text)
      .option("--config <file>", "the hookline.toml to use (default: in the config folder)", text)
      .option("--json", "print JSON")
      .addHelpText(
        "after",
        "\nSends each rule its examples as every attached agent would. Exit code 1 when an example is judged wrongly, or a rule cannot be used.",
      )
      .addHelpText("after", examples("hookline rules test", "hookline rules test my-rules.toml"));
  },

  run: testGiven,
};

async function testGiven(terminal: Terminal, { config, json = false }: TestOptions, [given]: readonly string[]): Promise<number> {
  const isFile = given !== undefined && (existsSync(given) || given.endsWith(".toml"));
  const read = await readRules(terminal, isFile ? given : config);
  const rules = given === undefined || isFile ? read.rules : [pickRule(read, given, "test")];
  const known = await readKnownTools(terminal.env);
  const results = await tryAll(rules, sendersOf(known), terminal);
  const wrong = results.filter(({ isRight }) => !isRight);
  if (json) terminal.print(inertJson(JSON.stringify(results, undefined, 2)));
  else for (const result of wrong) terminal.print(lineOf(result, terminal));
  if (rules.length > 0) terminal.say(summaryOf(rules, results, known));
  else if (read.rejected.length === 0)
    terminal.say(`${inertText(read.path)} has no rules. To have some: hookline rules add destructive-shell`);
  const refused = sayRemarks(read, rules, terminal) + sayToolNotes(rules, known, terminal);
  const isBad = wrong.length + refused > 0 || (rules === read.rules && read.rejected.length > 0);
  return isBad ? EXIT.failed : EXIT.ok;
}

/** Tries one rule after the other, and shows the progress at a terminal. */
async function tryAll(rules: readonly RuleConfig[], senders: Senders, { say, isInteractive }: Terminal): Promise<ExampleResult[]> {
  const results: ExampleResult[] = [];
  let saidAt = performance.now();
  for (const [index, rule] of rules.entries()) {
    if (isInteractive && performance.now() - saidAt > PROGRESS_MS) {
      say(`${index} of ${countText(rules.length, "rule")} tried …`);
      saidAt = performance.now();
    }
    results.push(...(await testRulesFrom(senders, [rule])));
  }
  return results;
}

/** `2 rules, 3 examples as claude-code and codex send them: 6 right, 0 wrong.` */
function summaryOf(rules: readonly RuleConfig[], results: readonly ExampleResult[], { attached }: KnownTools): string {
  const examples = new Set(results.map(({ rule, example, expected }) => JSON.stringify([rule, expected, example]))).size;
  const wrong = results.filter(({ isRight }) => !isRight).length;
  const how =
    attached.length === 0 ? "" : ` as ${attached.map(({ title }) => title).join(", ")} would send ${examples === 1 ? "it" : "them"}`;
  const note = attached.length === 0 && examples > 0 ? " No agent is attached, so each example used the tool name in the rule." : "";
  return `${countText(rules.length, "rule")}, ${countText(examples, "example")}${how}: ${results.length - wrong} right, ${wrong} wrong.${note}`;
}

/** Rules that guard nothing that is attached; gives how many. */
function sayToolNotes(rules: readonly RuleConfig[], known: KnownTools, { say, paintTalk }: Terminal): number {
  const notes = rules.flatMap((rule) => {
    const note = toolNote(rule, known);
    return note === undefined ? [] : [`${inertText(rule.name)}: ${inertText(note)}`];
  });
  for (const note of notes) say(`${paintTalk("red", "✗")} ${note}`);
  return notes.length;
}

/** Remarks that are not failures; returns how many rules a project could not have. */
function sayRemarks({ path }: ReadRules, rules: readonly RuleConfig[], { say, paintTalk }: Terminal): number {
  const mark = paintTalk("yellow", "!");
  const refused = basename(dirname(path)) === ".hookline" ? rules.filter(refusedInProject) : [];
  for (const { name, do: action } of refused)
    say(`${mark} ${inertText(name)} is refused: a project can tighten and never loosen, so it has no do = "${action}".`);
  for (const { name, examples } of rules) if (examples === undefined) say(`${mark} ${inertText(name)} has no examples.`);
  return refused.length;
}

function lineOf({ rule, example, expected, problem, agent }: ExampleResult, { paint }: Terminal): string {
  const [what, but] = expected === "caught" ? ["does not catch", ""] : ["catches", ", but must let it pass"];
  const why = problem === undefined ? "" : ` (${inertText(problem)})`;
  return `${paint("red", "✗")} ${inertText(rule)} ${what} ${inertText(show(example))}${agent === undefined ? "" : `, as ${agent} sends it`}${but}${why}`;
}

function show(example: RuleExample): string {
  return typeof example === "string" ? example : JSON.stringify(example);
}
