export type { PathSets } from "../commands/path-sets.js";
export type { RuleAction, RuleNotice } from "./actions.js";
export type { CommandTable } from "./command/command-table.js";
export { ruleRegex } from "./regex/rule-regex.js";
export { type RegisteredRules, type RuleOptions, type RuleRow, type RuleShadow, registerRules } from "./register-rules.js";
export type { Rule, RuleContent, RuleExample, RuleExamples, RuleMode } from "./rule.js";
export { type ExampleResult, testRules } from "./test-rules.js";
