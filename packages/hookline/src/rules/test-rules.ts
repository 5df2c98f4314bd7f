import { type Bus, createBus, findEvent, type HookError } from "@hookline/core";
import { eventFor } from "./example-event.js";
import { ruleRegex } from "./regex/rule-regex.js";
import { registerRules } from "./register-rules.js";
import type { Rule, RuleExample } from "./rule.js";
import { type Senders, sendExample } from "./sender.js";
import { withoutState } from "./state/state-condition.js";

/** What one example resulted in. */
export interface ExampleResult {
  readonly rule: string;
  readonly example: RuleExample;
  readonly expected: "caught" | "passed";
  readonly isRight: boolean;
  /** The attached agent that sends it in this form. Missing for an example that is used as written. */
  readonly agent?: string;
  /** Other errors. */
  readonly problem?: string;
}

/** Runs each rule alone on a temporary bus with its own examples. A rule without examples gives no results. */
export function testRules(rules: readonly Rule[]): Promise<ExampleResult[]> {
  return testRulesFrom({ agents: [] }, rules);
}

/** What is wrong with the examples, a sentence for each. */
export function exampleFaults(results: readonly ExampleResult[]): string[] {
  return results
    .filter(({ isRight }) => !isRight)
    .map(({ rule, expected, example, problem }) => {
      const what = `The rule "${rule}" ${expected === "caught" ? "does not catch" : "catches"} its example ${JSON.stringify(example)}`;
      return `${what}${problem === undefined ? "" : ` (${problem})`}.`;
    });
}

/** The same, with every example in the form in which each attached agent sends it. */
export async function testRulesFrom(senders: Senders, rules: readonly Rule[]): Promise<ExampleResult[]> {
  const results: ExampleResult[] = [];
  for (const rule of rules) results.push(...(await testRule(rule, senders, rules)));
  return results;
}

async function testRule(rule: Rule, senders: Senders, all: readonly Rule[]): Promise<ExampleResult[]> {
  const { tool, match, examples: { catches = [], passes = [] } = {} } = rule;
  const event = eventFor(rule.events) ?? "tool:before";
  const trial = openTrial(rule, event, all);
  const results: ExampleResult[] = [];
  for (const [examples, expected] of [[catches, "caught"] as const, [passes, "passed"] as const])
    for (const example of examples)
      for (const { agent, payload } of sendExample({ event, example, tool, match }, senders).arrivals) {
        const { isCaught, problem } = await trial.send(payload);
        const isRight = problem === undefined && isCaught === (expected === "caught");
        const more = { ...(agent !== undefined && { agent }), ...(problem !== undefined && { problem }) };
        results.push({ rule: rule.name, example, expected, isRight, ...more });
      }
  trial.close();
  return results;
}

/** A rule alone on a bus, also one that answers another's questions. It is compiled once, which takes longer than running all its examples. */
function openTrial(given: Rule, event: string, all: readonly Rule[]) {
  let problem: string | undefined;
  const note = (error: HookError): void => {
    problem ??= error.message;
  };
  const bus = createBus({ source: "rules-test", enabled: true, regex: ruleRegex, onAsk: "return", onError: note });
  // Includes disabled rules: a test shows what they would do.
  const rule = { ...withoutState(given), enabled: true };
  const inForce = [rule, ...all.filter(({ name }) => name !== rule.name)];
  const registered = registerRules(bus, [rule], { inForce, onError: note });
  const refusal = problem;
  const count = () => registered.list().reduce((sum, { fired }) => sum + fired, 0);
  return {
    async send(payload: object) {
      problem = refusal;
      const before = count();
      await dispatch(bus, event, payload);
      return { isCaught: count() > before, problem };
    },
    close: registered.close,
  };
}

async function dispatch(bus: Bus, event: string, payload: object): Promise<void> {
  const kind = findEvent(event)?.spec.kind;
  if (kind === "gate") await bus.decide(event, payload);
  else if (kind === "transform") await bus.transform(event, valueIn(payload), payload);
  else await bus.emit(event, payload);
}

/** The value in an example of a transform. */
function valueIn(payload: { readonly tool?: { readonly output?: unknown }; readonly prompt?: unknown; readonly value?: unknown }): unknown {
  return payload.value ?? payload.tool?.output ?? payload.prompt ?? "";
}
