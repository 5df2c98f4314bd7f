import type { Rule } from "./rule.js";
import { specsOf } from "./rule-faults.js";

/** What the failure of something from a file means unless it says so itself: a guard that could have blocked has not let it pass. */
export function defaultFailureMode(event: string): "open" | "closed" {
  return specsOf(event).some(({ kind, outcomes }) => kind === "gate" && outcomes.includes("block")) ? "closed" : "open";
}

/** The same for a rule. One that replaces hides something: without it, the value must not be seen. */
export function failureModeOfRule(
  { do: action, stage, onFailure }: Pick<Rule, "do" | "stage" | "onFailure">,
  event: string,
): "open" | "closed" {
  if (stage === "observe" || (stage === undefined && action === "notify")) return "open";
  return onFailure ?? (action === "replace" ? "closed" : defaultFailureMode(event));
}

/** Whether a failure can keep anything from going on there: a call that is denied, or a value that is withheld. */
export function canFailClosed(event: string): boolean {
  return defaultFailureMode(event) === "closed" || specsOf(event).some(({ kind }) => kind === "transform");
}
