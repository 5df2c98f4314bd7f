import { catalog, type EventSpec, findEvent, type OutcomeKind } from "@hookline/core";
import { families } from "@hookline/core/internal";
import { compileEventFilter } from "@hookline/core/internal/sinks";
import { actionOf, type NeededKey, type RuleAction, ruleActions } from "./actions.js";
import { linearRegex } from "./linear-regex.js";
import type { Rule } from "./rule.js";
import { findStateFaults, hasState } from "./state/state-condition.js";

/** What is wrong with a rule, and under which key. */
export interface RuleFault {
  readonly key: string;
  readonly message: string;
}

type Shape = Pick<
  Rule,
  | "name"
  | "do"
  | "events"
  | "message"
  | "set"
  | "find"
  | "with"
  | "stage"
  | "onFailure"
  | "answers"
  | "count"
  | "within"
  | "per"
  | "after"
  | "repeats"
  | "budget"
>;

/** Faults that do not depend on the rest of the rule: a key that its action needs or does not take, or an event without that outcome. */
export function findFaults(rule: Shape): RuleFault[] {
  const { do: name, find, stage, onFailure, events } = rule;
  const { needs, outcome, decides } = actionOf(name);
  const faults: RuleFault[] = [];
  const fault = (key: string, text: string): void => void faults.push({ key, message: text });
  for (const key of Object.keys(purposes) as NeededKey[]) {
    if (needs.includes(key) && rule[key] === undefined) fault(key, purposes[key](name));
    const owner = ruleActions.find((action) => actionOf(action).needs.includes(key));
    if (key !== "message" && !needs.includes(key) && rule[key] !== undefined)
      fault(key, `is for do = "${owner}", and this rule's is "${name}"`);
  }
  const wrong = find === undefined ? undefined : findRegexFault(find);
  if (wrong !== undefined) fault("find", wrong);
  if (rule.answers !== undefined && name !== "allow") fault("answers", `is for do = "allow", and this rule's is "${name}"`);
  if (rule.answers !== undefined && events.some((event) => event.includes("*")))
    fault("answers", "is for a rule that names its events. Write them without a pattern");
  if (rule.answers !== undefined && hasState(rule))
    fault("answers", 'is for a rule that looks at one call. Remove "count", "after", "repeats" and "budget"');
  if (stage === "observe" && decides)
    fault("stage", `cannot be "observe" with do = "${name}", because that stage comes after the decision. Remove "stage"`);
  if (stage === "observe" && onFailure === "closed")
    fault("onFailure", 'cannot be "closed" in stage "observe", which comes after the decision');
  for (const event of events)
    if (outcome !== undefined && specsOf(event).length > 0 && !allowsOutcome(event, outcome))
      fault("event", `has "${event}", which does not take "${name}": ${knownOutcomes(event)}`);
  return [...faults, ...findStateFaults(rule)];
}

const purposes: { readonly [key in NeededKey]: (action: RuleAction) => string } = {
  set: (action) => `says what do = "${action}" writes`,
  find: (action) => `says which text do = "${action}" replaces, as a regular expression`,
  with: (action) => `says what do = "${action}" puts in its place`,
  message: (action) => `is the text for do = "${action}"`,
};

function findRegexFault(source: string): string | undefined {
  try {
    linearRegex.compile(source);
    return undefined;
  } catch (error) {
    return `is wrong: ${(error as Error).message}`;
  }
}

/** True when an event, or one that the pattern covers, takes that outcome. */
export function allowsOutcome(event: string, outcome: OutcomeKind): boolean {
  return specsOf(event).some(({ outcomes }) => outcomes.includes(outcome));
}

function knownOutcomes(event: string): string {
  const known = [...new Set(specsOf(event).flatMap(({ outcomes }) => outcomes))];
  return `its outcomes are ${known.join(", ") || "none"}, and "notify" always works`;
}

/** The catalogue's rows that a name or a pattern covers; empty for an unknown name. */
export function specsOf(event: string): EventSpec[] {
  const exact = findEvent(event);
  if (exact !== undefined) return [exact.spec];
  if (!event.includes("*")) return [];
  const covers = compileEventFilter(event);
  const named = Object.entries(catalog).filter(([name]) => covers(name));
  const open = Object.entries(families).filter(([namespace]) => covers(`${namespace}:x`));
  return [...named, ...open].map(([, spec]) => spec);
}
