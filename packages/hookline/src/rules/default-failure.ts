import { catalog } from "@hookline/core";
import { families, resolveEvent } from "@hookline/core/internal";
import { actionOf } from "./actions.js";
import type { Rule } from "./rule.js";
import { specsOf } from "./rule-faults.js";

/** The default failure mode of a rule or hook from a file: if a guard that could have blocked fails, the call does not pass. */
export function defaultFailureMode(event: string): "open" | "closed" {
  return specsOf(event).some(({ kind, outcomes }) => kind === "gate" && outcomes.includes("block")) ? "closed" : "open";
}

/** The same for a rule: its own setting, its action's, or the event's. */
export function failureModeOfRule(
  { do: action, stage, onFailure, mode }: Pick<Rule, "do" | "stage" | "onFailure" | "mode">,
  event: string,
): "open" | "closed" {
  const spec = actionOf(action);
  if ((stage ?? spec.stage) === "observe" || mode === "shadow") return "open";
  return onFailure ?? spec.onFailure ?? defaultFailureMode(event);
}

/** Whether a failure can stop something there: a call that is denied, or a value that is withheld. */
export function canFailClosed(event: string): boolean {
  return defaultFailureMode(event) === "closed" || specsOf(event).some(({ kind }) => kind === "transform");
}

/** All permissions: those of rules, which run no code, and of the user's own hooks. */
export const everyPermission: readonly string[] = [
  ...new Set([...Object.values(catalog), ...Object.values(families), resolveEvent("any:event").spec].map(({ permission }) => permission)),
];
