import { createBus } from "@hookline/core";
import { readRule } from "hookline/rule-schema";
import { registerRules, ruleRegex } from "hookline/rules";
import { parse } from "smol-toml";

export interface Tried {
  readonly verdict: string;
  readonly text: string;
}

/** Lets the rules decide about a shell command, with the same code as the hub. */
export async function tryRules(toml: string, command: string): Promise<Tried> {
  try {
    const { rule = [] } = parse(toml) as { rule?: readonly unknown[] };
    const read = rule.map((table, index) => readRule(table, ["rule", index]));
    const findings = read.flatMap(({ findings }) => findings);
    if (findings.length > 0) return { verdict: "fault", text: findings.map(({ path, message }) => `\n${path.join(".")}: ${message}`).join("") };
    const bus = createBus({ source: "playground", onAsk: "return", regex: ruleRegex });
    registerRules(bus, read.flatMap(({ value }) => value ?? []));
    const decision = await bus.decide("tool:before", { tool: { name: "Bash", input: { command } }, cwd: "/home/you/project" });
    return { verdict: decision.verdict, text: explained(decision, command) };
  } catch (error) {
    return { verdict: "fault", text: `: ${(error as Error).message}` };
  }
}

interface Decided {
  readonly verdict: string;
  readonly reason?: string;
  readonly by?: string;
  readonly payload: { readonly tool: { readonly input: { readonly command?: unknown } } };
  readonly injections: readonly unknown[];
  readonly reminders: readonly unknown[];
}

function explained({ verdict, reason, by, payload, injections, reminders }: Decided, asked: string): string {
  const { command } = payload.tool.input;
  const told = injections.length + reminders.length > 0 ? "\nThe model is told something." : "";
  const changed = command === asked ? told : `\nrewritten to: ${String(command)}${told}`;
  if (verdict === "pass") return changed === "" ? ": no rule applies." : `:${changed}`;
  return `${by === undefined ? "" : ` by ${by}`}${reason === undefined ? "" : `: ${reason}`}${changed}`;
}
