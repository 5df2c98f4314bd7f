import { inertText } from "@hookline/core/internal/text";
import type { BacktestAnswer, BacktestExample } from "../../hub/protocol.js";
import { countText, durationText } from "../format/amounts.js";
import { tableLines } from "../format/table.js";
import { dateText } from "../format/times.js";
import type { Terminal } from "../terminal.js";

/** What happens to a call with each answer. */
export const SAID_TEXT = { block: "blocked", ask: "asked about", rewrite: "rewritten", allow: "allowed", pass: "let through" } as const;
const KINDS = ["block", "ask", "rewrite", "allow", "pass"] as const;
const MAX_SHOWN = 10;

/** Prints what a backtest has found. */
export function printBacktest(answer: BacktestAnswer, terminal: Terminal): void {
  const { print, say, columns, paint } = terminal;
  for (const problem of answer.problems) say(inertText(problem));
  if (answer.calls === 0) return say("No calls are recorded in that time. To add what agents did before: hookline import");
  print(periodText(answer));
  const cells = KINDS.filter((kind) => answer.was[kind] + answer.now[kind] > 0).map((kind) => [
    SAID_TEXT[kind],
    ...[answer.was[kind], answer.now[kind], answer.changes[kind]].map(String),
  ]);
  for (const line of tableLines(["CALLS", "BEFORE", "NOW", "NEWLY"], cells, columns)) print(line);
  const changed = answer.examples.filter(({ isInconclusive }) => isInconclusive !== true);
  if (changed.length === 0) print("No call gets another answer.");
  else {
    print(`\n${paint("dim", "Calls with another answer, the most frequent first")}`);
    for (const line of tableLines(["TIMES", "BEFORE", "NOW", "RULE", "CALL"], changed.map(exampleCells), columns)) print(line);
  }
  if (answer.inconclusive > 0) {
    print(`\n${countText(answer.inconclusive, "call")} cannot be judged: the record hides or cuts something that a rule reads.`);
    for (const { times, about } of answer.examples.filter(({ isInconclusive }) => isInconclusive === true))
      print(`  ${times} × ${inertText(about)}`);
  }
  if (answer.byHooks > 0)
    say(`Not tried: hooks. They denied, asked about or changed ${countText(answer.byHooks, "call")} when these were made.`);
  if (answer.untried.length > 0) say(`Not tried, because the values that they change are not recorded: ${shortList(answer.untried)}.`);
  if (answer.unreadable > 0) say(`${countText(answer.unreadable, "event")} could not be read.`);
  const silent = answer.rules.filter(({ matched }) => matched === 0).map(({ name }) => name);
  if (silent.length > 0) say(`Matched nothing: ${shortList(silent)}.`);
}

function exampleCells({ times, was, now, by, about }: BacktestExample): string[] {
  return [String(times), SAID_TEXT[was], SAID_TEXT[now], by ?? "", oneLine(about)];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Prints the rules that never matched and the calls that no rule looks at. */
export function printCoverage(answer: BacktestAnswer, { print, say, columns, paint }: Terminal): void {
  const { calls, rules, unlooked } = answer;
  for (const problem of answer.problems) say(inertText(problem));
  if (calls === 0) return say("No calls are recorded in that time. To add what agents did before: hookline import");
  print(periodText(answer));
  const rows = rules
    .toSorted((a, b) => a.matched - b.matched)
    .map(({ name, do: action, matched, decided }) => [name, action, String(matched), String(decided)]);
  for (const line of tableLines(["RULE", "DO", "MATCHED", "DECIDED"], rows, columns)) print(line);
  const silent = rules.filter(({ matched }) => matched === 0).length;
  print(`\n${countText(silent, "rule")} never matched.`);
  const missed = unlooked.reduce((sum, one) => sum + one.calls, 0);
  print(`${countText(missed, "call")} of ${countText(calls, "call")} are calls that no rule looks at.`);
  if (unlooked.length === 0) return;
  print(`\n${paint("dim", "Calls that no rule looks at")}`);
  const cells = unlooked.slice(0, MAX_SHOWN).map((one) => [one.tool || "-", one.event, String(one.calls)]);
  for (const line of tableLines(["TOOL", "EVENT", "CALLS"], cells, columns)) print(line);
  if (unlooked.length > MAX_SHOWN) print(`… and ${unlooked.length - MAX_SHOWN} more kinds.`);
}

/** `1,234 calls in 30 d, 200 of them imported`. */
function periodText({ calls, imported, first, last, isComplete }: BacktestAnswer): string {
  const time = first === undefined || last === undefined ? "" : ` from ${dateText(first)} on, over ${durationText(last - first)}`;
  const share = imported === 0 ? "" : `, ${imported === calls ? "all" : countText(imported, "call")} imported`;
  return `${countText(calls, "call")}${time}${share}${isComplete ? "" : ", not complete"}`;
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, MAX_SHOWN).map((name) => inertText(name));
  return names.length <= MAX_SHOWN ? shown.join(", ") : `${shown.join(", ")} and ${names.length - MAX_SHOWN} more`;
}
