import { type Bus, createBus, findEvent, type HookError } from "@hookline/core";
import { eventFor, payloadFor } from "./example-event.js";
import { ruleRegex } from "./regex/rule-regex.js";
import { registerRules } from "./register-rules.js";
import type { Rule, RuleExample } from "./rule.js";

/** What came of one example. */
export interface ExampleResult {
  readonly rule: string;
  readonly example: RuleExample;
  readonly expected: "caught" | "passed";
  readonly isRight: boolean;
  /** What went wrong besides. */
  readonly problem?: string;
}

/** Tries the rules on their own examples, each alone on a bus of its own. A rule without examples gives no results. */
export async function testRules(rules: readonly Rule[]): Promise<ExampleResult[]> {
  const results: ExampleResult[] = [];
  for (const rule of rules) results.push(...(await testRule(rule)));
  return results;
}

async function testRule(rule: Rule): Promise<ExampleResult[]> {
  const { catches = [], passes = [] } = rule.examples ?? {};
  const results: ExampleResult[] = [];
  for (const example of catches) results.push(await tryExample(rule, example, "caught"));
  for (const example of passes) results.push(await tryExample(rule, example, "passed"));
  return results;
}

async function tryExample(rule: Rule, example: RuleExample, expected: "caught" | "passed"): Promise<ExampleResult> {
  const problems: string[] = [];
  const note = (error: HookError): void => void problems.push(error.message);
  const bus = createBus({ source: "rules-test", regex: ruleRegex, onAsk: "return", onError: note });
  // Also one that is switched off: whoever tries it out wants to know what it would do.
  const registered = registerRules(bus, [{ ...rule, enabled: true }], { onError: note });
  const event = eventFor(rule.events) ?? "tool:before";
  await dispatch(bus, event, payloadFor(event, example, rule.tool));
  const isCaught = registered.list().some(({ fired }) => fired > 0);
  registered.close();
  const [problem] = problems;
  const isRight = problem === undefined && isCaught === (expected === "caught");
  return { rule: rule.name, example, expected, isRight, ...(problem !== undefined && { problem }) };
}

async function dispatch(bus: Bus, event: string, payload: object): Promise<void> {
  const kind = findEvent(event)?.spec.kind;
  if (kind === "gate") await bus.decide(event as "tool:before", payload as never);
  else if (kind === "transform") await bus.transform(event as "tool:result", "", payload as never);
  else await bus.emit(event as "tool:after", payload as never);
}
