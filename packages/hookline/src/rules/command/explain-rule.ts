import type { CommandFact } from "../../commands/facts.js";
import type { Rule } from "../rule.js";
import { compileTable } from "./command-table.js";
import { tablesOf } from "./condition.js";

/** What a rule says about a call that runs commands, and why. */
export interface RuleExplanation {
  readonly rule: string;
  readonly do: Rule["do"];
  /** `other`: it does not ask about commands. */
  readonly answer: "matches" | "unknown" | "no" | "other";
  /** The number of the command that decides, from 1. */
  readonly command?: number;
  /** The keys that fit, what is not known, or the first key that does not fit. */
  readonly why: string;
}

/** Explains a rule by the commands of a call. */
export function explainRule(rule: Rule, facts: readonly CommandFact[], cwd: string | undefined): RuleExplanation {
  const { name, command, sets } = rule;
  const base = { rule: name, do: rule.do };
  if (command === undefined) return { ...base, answer: "other", why: "it does not ask about commands" };
  const looks = tablesOf(command)
    .map((table) => compileTable(table, sets))
    .flatMap((table) => facts.map((fact, index) => lookAt(table.explain(fact, cwd), index + 1)));
  const [best] = looks.toSorted((a, b) => b.rank - a.rank);
  if (best === undefined) return { ...base, answer: "no", why: "there is no command" };
  const { rank: _, ...look } = best;
  return { ...base, ...look };
}

interface Look extends Pick<RuleExplanation, "answer" | "why"> {
  readonly command: number;
  /** How close it comes to a match. */
  readonly rank: number;
}

function lookAt(keys: ReturnType<ReturnType<typeof compileTable>["explain"]>, command: number): Look {
  const failed = keys.find(({ answer }) => answer === false);
  const held = keys.filter(({ answer }) => answer === true).map(({ key }) => key);
  if (failed !== undefined) {
    const also = held.length === 0 ? "" : `, although ${held.join(", ")} would fit`;
    return {
      answer: "no",
      command,
      why: `${failed.key} does not fit${also}`,
      rank: (keys.indexOf(failed) + held.length / (keys.length + 1)) / keys.length,
    };
  }
  const open = keys.find(({ answer }) => typeof answer === "string");
  if (open !== undefined) return { answer: "unknown", command, why: String(open.answer), rank: 2 };
  return { answer: "matches", command, why: held.join(", "), rank: 3 };
}
