export { ruleRegex } from "./regex/rule-regex.js";
export { type RegisteredRules, type RuleOptions, type RuleRow, registerRules } from "./register-rules.js";
export type { Rule, RuleAction, RuleExample, RuleExamples } from "./rule.js";
export type { RuleNotice } from "./rule-handler.js";
export { type ExampleResult, testRules } from "./test-rules.js";
