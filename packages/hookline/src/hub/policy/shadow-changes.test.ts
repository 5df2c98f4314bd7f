import { expect, it } from "vitest";
import type { RuleConfig } from "../../config/config.js";
import { ruleDifferences } from "./policy-differences.js";

const rule = (more: Partial<RuleConfig> = {}): RuleConfig => ({
  name: "r",
  events: ["tool:before"],
  do: "block",
  file: "f",
  line: 1,
  ...more,
});
const shadow = rule({ mode: "shadow" });

it.each<[string, RuleConfig | undefined, RuleConfig | undefined, string | undefined]>([
  ["a new rule in the shadow decides nothing", undefined, shadow, "tightens"],
  ["one that allows decides nothing there either", undefined, rule({ do: "allow", mode: "shadow" }), "tightens"],
  ["out of the shadow, a rule that blocks tightens", shadow, rule(), "tightens"],
  ["out of the shadow, a rule that allows loosens", rule({ do: "allow", mode: "shadow" }), rule({ do: "allow" }), "other"],
  ["into the shadow, a rule that blocked loosens", rule(), shadow, "other"],
  ["a change within the shadow changes nothing", shadow, rule({ mode: "shadow", tool: "Bash" }), "tightens"],
  ["a rule that is removed from the shadow changes nothing", shadow, undefined, "tightens"],
  ["a rule that blocked and is gone loosens", rule(), undefined, "other"],
  ["mode = enforce is a change of words", rule(), rule({ mode: "enforce" }), "tightens"],
])("%s", (_, before, after, effect) => {
  const found = ruleDifferences(before === undefined ? [] : [before], { rules: after === undefined ? [] : [after], broken: [] });
  expect(found.map((difference) => difference.effect)).toEqual(effect === undefined ? [] : [effect]);
});
