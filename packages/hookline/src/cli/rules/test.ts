import type { RuleExample } from "../../rules/rule.js";
import { type ExampleResult, testRules } from "../../rules/test-rules.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { inert, inertJson } from "../format/inert.js";
import type { Terminal } from "../terminal.js";
import { readRules } from "./read-rules.js";

/** Tries rules on their own examples. The exit code is 1 when one is not as it should be, or a rule is wrong. */
export async function testFile(
  terminal: Terminal,
  { config, json = false }: { readonly config?: string; readonly json?: boolean },
  file: string | undefined,
): Promise<number> {
  const { path, rules, problems } = await readRules(terminal, file ?? config);
  const results = await testRules(rules);
  const wrong = results.filter(({ isRight }) => !isRight);
  if (json) terminal.print(inertJson(JSON.stringify(results, undefined, 2)));
  else for (const result of wrong) terminal.print(lineOf(result, terminal));
  const untried = rules.filter(({ examples }) => examples === undefined);
  if (rules.length === 0) terminal.say(`${inert(path)} has no rules. To have some: hookline rules add destructive-shell`);
  else
    terminal.say(
      `${countText(rules.length, "rule")}, ${countText(results.length, "example")}: ${results.length - wrong.length} right, ${wrong.length} wrong.`,
    );
  for (const { name } of untried) terminal.say(`${terminal.paintTalk("yellow", "!")} ${inert(name)} has no examples.`);
  return wrong.length + problems.length > 0 ? EXIT.failed : EXIT.ok;
}

function lineOf({ rule, example, expected, problem }: ExampleResult, { paint }: Terminal): string {
  const what = expected === "caught" ? "does not catch" : "catches";
  return `${paint("red", "✗")} ${inert(rule)} ${what} ${inert(show(example))}${problem === undefined ? "" : ` (${inert(problem)})`}`;
}

function show(example: RuleExample): string {
  return typeof example === "string" ? example : JSON.stringify(example);
}
