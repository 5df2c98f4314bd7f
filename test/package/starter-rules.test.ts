import { describe, expect, it } from "vitest";
import { sendersOf } from "../../packages/hookline/src/agents/agent-sender.js";
import { agents } from "../../packages/hookline/src/agents/agents.js";
import { parseConfig } from "../../packages/hookline/src/config/load-config.js";
import { formatProblem } from "../../packages/hookline/src/config/problem.js";
import { readStarterRules, starterPath, starterRules } from "../../packages/hookline/src/rules/starter/starter-rules.js";
import { testRules, testRulesFrom } from "../../packages/hookline/src/rules/test-rules.js";

describe.each(starterRules.map(({ name }) => name))("the starter set %s", (name) => {
  const load = async () => {
    const { config, problems } = await parseConfig(readStarterRules(name), starterPath(name));
    expect(problems.map(formatProblem)).toEqual([]);
    return config?.rules ?? [];
  };

  it("catches what it must and passes what it must, as it is written and as each agent sends it", async () => {
    const rules = await load();
    const results = [...(await testRules(rules)), ...(await testRulesFrom(sendersOf({ attached: agents }), rules))];
    const isAbout = (event: string) => rules.some(({ events }) => events.some((one) => one === "*" || one === event));
    const telling = agents.filter(({ events }) =>
      Object.values(events).some(({ event, leftAlone }) => leftAlone === undefined && isAbout(event)),
    );
    expect(new Set(results.map(({ agent }) => agent))).toEqual(new Set([undefined, ...telling.map(({ id }) => id)]));
    expect(results.filter(({ isRight }) => !isRight)).toEqual([]);
    for (const { name: rule, examples } of rules) {
      expect([rule, examples?.catches?.length]).toEqual([rule, expect.toSatisfy((count: number) => count >= 12)]);
      expect([rule, examples?.passes?.length]).toEqual([rule, expect.toSatisfy((count: number) => count >= 12)]);
    }
  });

  it("has rules of at most ten readable lines", () => {
    const rules = readStarterRules(name).split("[[rule]]\n").slice(1);
    for (const rule of rules) {
      const lines = (rule.split("[rule.examples]")[0] ?? "").trim().split("\n");
      expect([lines[0], lines.length]).toEqual([lines[0], expect.toSatisfy((count: number) => count <= 10)]);
      expect(lines.filter((line) => line.length > 180)).toEqual([]);
    }
  });

  it("says its name in every rule", async () => {
    for (const rule of await load()) expect(rule.name.startsWith(`${name}/`)).toBe(true);
  });
});
