import { createBus } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../config/load-config.js";
import { ruleRegex } from "./regex/rule-regex.js";
import { registerRules } from "./register-rules.js";
import type { Rule } from "./rule.js";

type Input = { readonly [key: string]: unknown };

const asks: Rule = { name: "ask-push", events: ["tool:before"], do: "ask", command: { git: "push" } };
const answers: Rule = {
  name: "push-main",
  events: ["tool:before"],
  do: "allow",
  answers: "ask-push",
  tool: "Bash",
  fields: ["command", "description"],
  match: "tool.input.command == 'git push origin main' && cwd == '/w'",
};

function decide(rules: readonly Rule[], input: Input, tool = "Bash") {
  const errors: string[] = [];
  const bus = createBus({ source: "t", enabled: true, regex: ruleRegex, onAsk: "return" });
  const registered = registerRules(bus, rules, { onError: ({ message }) => void errors.push(message) });
  const decision = bus.decide("tool:before", { tool: { name: tool, input }, cwd: "/w" });
  if (decision instanceof Promise) throw new TypeError("rules answer at once");
  const fired = Object.fromEntries(registered.list().map(({ rule, fired: times }) => [rule.name, times]));
  return { verdict: decision.verdict, by: decision.by, fired, errors };
}

const push = { command: "git push origin main", description: "x" };

describe("a rule that answers", () => {
  it("allows exactly what the other rule would have asked", () => {
    expect(decide([asks, answers], push)).toMatchObject({
      verdict: "allow",
      by: "push-main",
      fired: { "ask-push": 1, "push-main": 1 },
      errors: [],
    });
    expect(decide([answers, asks], push).verdict).toBe("allow");
  });

  const none: [string, readonly Rule[], Input][] = [
    ["another command", [asks, answers], { command: "git push origin dev" }],
    ["another field of the input", [asks, answers], { ...push, dangerouslyDisableSandbox: true }],
    ["a second command", [asks, answers], { command: "git push origin main; git push origin dev" }],
    ["a second rule that asks", [asks, answers, { ...asks, name: "other" }], push],
    ["a rule in the shadow", [asks, { ...answers, mode: "shadow" }], push],
    ["a broken rule", [asks, { ...answers, match: "tool.input.command =~ '('" }], push],
    ["a rule with a path that no event has", [asks, { ...answers, match: "tol.input.command contains push" }], push],
    ["a rule that is switched off", [asks, { ...answers, enabled: false }], push],
  ];
  it.each(none)("leaves the question to a person: %s", (_, rules, input) => {
    expect(decide(rules, input).verdict).toBe("ask");
  });

  it("does not overrule a rule that blocks", () => {
    expect(decide([asks, answers, { ...asks, name: "no-push", do: "block" }], push).verdict).toBe("deny");
  });

  it("says nothing about a call that the other rule does not ask about", () => {
    const wide: Rule = { name: "any", events: ["tool:before"], do: "allow", answers: "ask-push" };
    expect(decide([asks, wide], { command: "ls" })).toMatchObject({ verdict: "pass", fired: { any: 0 } });
    expect(decide([{ ...asks, enabled: false }, wide], push).verdict).toBe("pass");
    expect(decide([{ ...asks, mode: "shadow" }, wide], push).verdict).toBe("pass");
  });

  it("answers for the tools of a set", () => {
    const askWrite: Rule = { name: "ask-write", events: ["tool:before"], do: "ask", tool: "@writers" };
    const allow: Rule = { name: "notes", events: ["tool:before"], do: "allow", answers: "ask-write", tool: "@writers" };
    expect(decide([askWrite, allow], { file_path: "/w/a" }, "Write")).toMatchObject({ verdict: "allow", by: "notes", errors: [] });
    expect(decide([askWrite, allow], { file_path: "/w/a" }, "Read").verdict).toBe("pass");
  });

  it("does not answer where a fact is not known", () => {
    const wide: Rule = { name: "any", events: ["tool:before"], do: "allow", answers: "ask-push" };
    expect(decide([asks, wide], { command: "git $X origin main" }).verdict).toBe("ask");
  });

  it("counts for rules that come after the question", () => {
    const bus = createBus({ source: "t", enabled: true, regex: ruleRegex, onAsk: "return" });
    registerRules(bus, [asks, answers, { name: "later", events: ["tool:before"], do: "block", after: "ask-push", tool: "Read" }]);
    const call = (name: string, input: Input) => bus.decide("tool:before", { session: { id: "s" }, cwd: "/w", tool: { name, input } });
    expect(call("Bash", push)).toMatchObject({ verdict: "allow" });
    expect(call("Read", {})).toMatchObject({ verdict: "deny" });
  });
});

const table = (keys: string) =>
  `[[rule]]\nname = "ask-push"\nmatch = "tool.input.command contains 'push'"\ndo = "ask"\n\n[[rule]]\nname = "x"\n${keys}\n`;
const wrong: [string, string][] = [
  ['do = "allow"\nanswers = "ask-psh"', 'names no rule that can be used: "ask-psh". Did you mean "ask-push"?'],
  ['do = "block"\nanswers = "ask-push"', 'is for do = "allow", and this rule\'s is "block"'],
  ['do = "allow"\nevent = "tool:*"\nanswers = "ask-push"', "without a pattern"],
  ['do = "allow"\nanswers = "x"', 'does not ask: do = "allow"'],
  ['do = "allow"\nevent = "prompt:submit"\nanswers = "ask-push"', "does not take"],
];
describe("answers in hookline.toml", () => {
  it.each(wrong)("%s is an error", async (keys, message) => {
    const { problems } = await parseConfig(table(keys), "/c/hookline.toml");
    expect(problems.map((problem) => problem.message).join()).toContain(message);
  });

  it("is refused for a rule that depends on what happened before", async () => {
    const text = table('do = "allow"\nanswers = "ask-push"').replace('do = "ask"', 'do = "ask"\ncount = 3');
    expect((await parseConfig(text, "/c/hookline.toml")).problems).toMatchObject([
      { key: "rule[1].answers", message: expect.stringContaining("depends on what happened before") },
    ]);
  });

  /** The rules of a file on a bus, with keys that they got since. */
  async function fileOnBus(asking: string, answering: string, since: Partial<Rule> = {}) {
    const text = `[[rule]]\nname = "ask-push"\ndo = "ask"\n${asking}\n[[rule]]\nname = "x"\ndo = "allow"\nanswers = "ask-push"\n${answering}\n`;
    const { config, problems } = await parseConfig(text, "/c/hookline.toml");
    const bus = createBus({ source: "t", enabled: true, regex: ruleRegex, onAsk: "return" });
    const rules = (config?.rules ?? []).map((rule) => (rule.name === "ask-push" ? { ...rule, ...since } : rule));
    const registered = registerRules(bus, rules, { onError: () => {} });
    const call = (command: string, event: "tool:before" | "permission:asked" = "tool:before") =>
      bus.decide(event, { session: { id: "s" }, cwd: "/w", tool: { name: "Bash", input: { command } } });
    const broken = registered.list().filter(({ state }) => state === "broken");
    return { call, problems, broken: broken.map(({ rule }) => rule.name) };
  }
  const git = 'command = { git = "push" }';

  it.each(["count = 2", 'after = "ask-push"', "repeats = 2", "budget = { costUsd = 1.0 }"])("is refused beside %s", async (key) => {
    const { call, problems } = await fileOnBus(git, key);
    expect(problems).toMatchObject([{ key: "rule[1].answers", message: expect.stringContaining("looks at one call") }]);
    expect(call("git push origin main")).toMatchObject({ verdict: "ask", by: "ask-push" });
    expect(call("git push origin main")).toMatchObject({ verdict: "ask", by: "ask-push" });
  });

  it("silences no question while the rule is left out", async () => {
    const { call, problems, broken } = await fileOnBus(git, "", { count: 1 });
    expect([problems, broken]).toEqual([[], ["x"]]);
    expect(call("git push origin main")).toMatchObject({ verdict: "ask", by: "ask-push" });
  });

  it("answers on its own events alone", async () => {
    const both = `event = ["tool:before", "permission:asked"]\nmatch = "tool.input.command contains 'push'"`;
    const { call, problems } = await fileOnBus(both, 'event = "PreToolUse"');
    expect(problems).toEqual([]);
    expect(call("git push")).toMatchObject({ verdict: "allow", by: "x" });
    expect(call("git push", "permission:asked")).toMatchObject({ verdict: "ask", by: "ask-push" });
  });

  it.each(["ask", "match"])('leaves what is not known to a person, with unknown = "%s"', async (unknown) => {
    const { call, problems } = await fileOnBus(`${git}\nunknown = "${unknown}"`, "");
    expect(problems).toEqual([]);
    expect(call("git push")).toMatchObject({ verdict: "allow", by: "x" });
    expect(call("git $X origin main")).toMatchObject({ verdict: "ask", by: "ask-push" });
  });
});
