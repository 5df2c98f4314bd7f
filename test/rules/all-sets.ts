import { type Bus, createBus } from "@hookline/core";
import { parseConfig } from "../../packages/hookline/src/config/load-config.js";
import { ruleRegex } from "../../packages/hookline/src/rules/regex/rule-regex.js";
import { registerRules } from "../../packages/hookline/src/rules/register-rules.js";
import type { Rule } from "../../packages/hookline/src/rules/rule.js";
import { readStarterRules, starterPath, starterRules } from "../../packages/hookline/src/rules/starter/starter-rules.js";

/** The rules of every set that comes with Hookline. */
export async function readAllSets(): Promise<readonly Rule[]> {
  const configs = await Promise.all(starterRules.map(({ name }) => parseConfig(readStarterRules(name), starterPath(name))));
  return configs.flatMap(({ config, problems }) => {
    if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join("\n"));
    return config?.rules ?? [];
  });
}

/** A bus like the hub's, with these rules. */
export function openBus(rules: readonly Rule[]): Bus {
  const bus = createBus({ source: "test", enabled: true, onAsk: "return", regex: ruleRegex });
  registerRules(bus, rules, {
    onError(error) {
      throw error;
    },
  });
  return bus;
}

/** What the rules say about a command: the verdict, and the rule that decided. */
export async function judge(bus: Bus, command: string, cwd?: string): Promise<{ readonly verdict: string; readonly rule: string }> {
  const payload = { tool: { name: "Bash", callId: "1", input: { command } }, ...(cwd !== undefined && { cwd }) };
  const { verdict, trail } = await bus.decide("tool:before", payload);
  const decided = trail.find(({ action }) => action === "deny" || action === "ask") ?? trail.at(-1);
  return { verdict, rule: decided?.actor.name ?? "" };
}
