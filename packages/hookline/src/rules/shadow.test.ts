import { createBus } from "@hookline/core";
import { expect, it } from "vitest";
import { type RuleShadow, registerRules } from "./register-rules.js";
import type { Rule } from "./rule.js";

const call = (command: string) => ({ session: { id: "s" }, tool: { name: "Bash", input: { command } } });

function shadowed(...rules: Rule[]) {
  const told: RuleShadow[] = [];
  const notices: unknown[] = [];
  const bus = createBus({ enabled: true, onAsk: "return" });
  registerRules(bus, rules, { onShadow: (shadow) => void told.push(shadow), onNotify: (notice) => void notices.push(notice) });
  return { bus, told, notices };
}

it.each(["block", "ask", "allow", "inject", "remind", "notify"] as const)(
  'a rule with do = "%s" in the shadow says nothing, and reports once',
  async (action) => {
    const { bus, told, notices } = shadowed({
      name: "r",
      events: ["tool:before"],
      do: action,
      message: "m",
      mode: "shadow",
      match: "tool.input.command =~ '^rm'",
    });
    expect(await bus.decide("tool:before", call("rm x"))).toMatchObject({ verdict: "pass", injections: [], reminders: [] });
    await bus.decide("tool:before", call("ls"));
    expect(told).toMatchObject([{ rule: "r", do: action, message: "m", event: "tool:before", session: { id: "s" } }]);
    expect(notices).toEqual([]);
  },
);

it("does not rewrite, and does not replace a value", async () => {
  const { bus, told } = shadowed(
    { name: "m", events: ["tool:before"], do: "modify", set: { "tool.input.command": "true" }, mode: "shadow" },
    { name: "r", events: ["tool:result"], do: "replace", find: "secret", with: "-", mode: "shadow" },
  );
  expect(await bus.decide("tool:before", call("ls"))).toMatchObject({ modified: false });
  expect(await bus.transform("tool:result", "a secret", call("ls"))).toMatchObject({ value: "a secret" });
  expect(told.map(({ rule }) => rule)).toEqual(["m", "r"]);
});

it("reports once per decision, also when a rewrite makes guards look again", async () => {
  const { bus, told } = shadowed(
    { name: "late", events: ["tool:before"], do: "modify", set: { "tool.input.extra": "1" }, stage: "guard", priority: -10 },
    { name: "r", events: ["tool:before"], do: "block", mode: "shadow" },
  );
  await bus.decide("tool:before", call("ls"));
  expect(told).toHaveLength(1);
});
