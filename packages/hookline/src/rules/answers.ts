import { findEvent } from "@hookline/core";
import { didYouMean } from "@hookline/core/internal/text";
import type { Rule } from "./rule.js";
import { hasState } from "./state/state-condition.js";

/** A rule with `do = "allow"` and `answers` answers the questions of one rule that asks, and of no other. */

/** The rules that answer the questions of a rule. One that is left out answers nothing. */
export function answeringRules(asking: Rule, all: readonly Rule[]): readonly Rule[] {
  return all.filter((rule) => rule.answers === asking.name && isInForce(rule) && whyNot(rule, asking) === undefined);
}

/** Whether a rule is about an event, under any spelling. */
export function namesEvent({ events }: Pick<Rule, "events">, event: string): boolean {
  return events.some((one) => eventName(one) === eventName(event));
}

/** The rule whose questions a rule answers. Undefined while it asks nothing. */
export function askingRule<R extends Rule>({ answers }: Rule, all: readonly R[]): R | undefined {
  return answers === undefined ? undefined : all.find((rule) => rule.name === answers && isInForce(rule));
}

function isInForce({ enabled, mode }: Rule): boolean {
  return enabled !== false && mode !== "shadow";
}

/** Rules whose `answers` names no rule whose questions can be answered. */
export function findAnswerFaults<R extends Rule>(rules: readonly R[]): { rule: R; message: string }[] {
  return rules.flatMap((rule) => {
    const { answers } = rule;
    if (answers === undefined) return [];
    const asking = rules.find(({ name }) => name === answers);
    const message =
      asking === undefined
        ? `names no rule that can be used: "${answers}".${didYouMean(
            answers,
            rules.map(({ name }) => name),
          )}`
        : whyNot(rule, asking);
    return message === undefined ? [] : [{ rule, message }];
  });
}

function whyNot({ events }: Rule, asking: Rule): string | undefined {
  const { name, do: action } = asking;
  if (action !== "ask") return `names the rule "${name}", which does not ask: do = "${action}".`;
  if (hasState(asking)) return `names the rule "${name}", which depends on what happened before. Its questions are always asked.`;
  const other = events.find((event) => !namesEvent(asking, event));
  return other === undefined ? undefined : `names the rule "${name}", which does not ask on "${other}".`;
}

function eventName(event: string): string {
  return findEvent(event)?.name ?? event;
}
