import { createBus, type Verdict } from "@hookline/core";
import { ruleRegex } from "../../rules/regex/rule-regex.js";
import { registerRules } from "../../rules/register-rules.js";
import type { Rule } from "../../rules/rule.js";

/** What rules say together about one call, as a hub would that has seen no call before it. */
export interface CallVerdict {
  readonly verdict: Verdict;
  /** The rule that decided. */
  readonly rule?: string;
  readonly reason?: string;
  /** Every rule that said something, and what. */
  readonly said: ReadonlyMap<string, string | undefined>;
}

/** Asks the rules themselves, on a bus of their own, so that an explanation cannot differ from the decision. Nothing runs. */
export async function judgeCall(rules: readonly Rule[], payload: object): Promise<CallVerdict> {
  const bus = createBus({ source: "rules-explain", enabled: true, regex: ruleRegex, onAsk: "return", onError: () => {} });
  const registered = registerRules(bus, rules, { onError: () => {} });
  try {
    const { verdict, by, reason, trail } = await bus.decide("tool:before", payload as Parameters<typeof bus.decide<"tool:before">>[1]);
    const speaking = trail.filter(({ action }) => action !== "no-match" && action !== "not-reached" && action !== "pass");
    return {
      verdict,
      ...(by !== undefined && { rule: by }),
      ...(reason !== undefined && { reason }),
      said: new Map(speaking.map(({ actor, reason: why }) => [actor.name, why])),
    };
  } finally {
    registered.close();
  }
}
