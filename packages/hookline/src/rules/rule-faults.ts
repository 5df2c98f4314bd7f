import { catalog, type EventSpec, families, findEvent, type OutcomeKind } from "@hookline/core";
import { compileEventFilter } from "@hookline/core/sinks";
import { linearRegex } from "./linear-regex.js";
import type { Rule, RuleAction } from "./rule.js";

/** What is wrong with a rule, and under which key. */
export interface RuleFault {
  readonly key: string;
  readonly message: string;
}

type Shape = Pick<Rule, "do" | "events" | "message" | "set" | "find" | "with" | "stage" | "onFailure">;

/** What cannot be right whatever else the rule says: an action without what it needs, or one that its events do not know. */
export function findFaults(rule: Shape): RuleFault[] {
  const { do: action, message, set, find, stage, onFailure, events } = rule;
  const faults: RuleFault[] = [];
  const fault = (key: string, text: string): void => void faults.push({ key, message: text });
  if (action === "modify" && set === undefined) fault("set", 'says what do = "modify" writes');
  if (action !== "modify" && set !== undefined) fault("set", `is for do = "modify", and this rule's is "${action}"`);
  if (action === "replace" && find === undefined) fault("find", 'says which text do = "replace" replaces, as a regular expression');
  if (action === "replace" && rule.with === undefined) fault("with", 'says what do = "replace" puts in its place');
  for (const key of ["find", "with"] as const)
    if (action !== "replace" && rule[key] !== undefined) fault(key, `is for do = "replace", and this rule's is "${action}"`);
  const wrong = find === undefined ? undefined : findRegexFault(find);
  if (wrong !== undefined) fault("find", wrong);
  if (needsMessage.has(action) && message === undefined) fault("message", `is what do = "${action}" has to say`);
  if (stage === "observe" && decides.has(action))
    fault("stage", `cannot be "observe" with do = "${action}": it comes after the decision. Leave it out`);
  if (stage === "observe" && onFailure === "closed")
    fault("onFailure", 'cannot be "closed" in stage "observe", which comes after the decision');
  for (const event of events)
    if (action !== "notify" && specsOf(event).length > 0 && !allowsOutcome(event, action))
      fault("event", `has "${event}", which does not know "${action}": ${knownOutcomes(event)}`);
  return faults;
}

const needsMessage = new Set<RuleAction>(["inject", "remind", "notify"]);
const decides = new Set<RuleAction>(["block", "ask", "allow", "modify", "replace"]);

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

/** The catalogue's rows that a name or a pattern covers; none for what is no event. */
export function specsOf(event: string): EventSpec[] {
  const exact = findEvent(event);
  if (exact !== undefined) return [exact.spec];
  if (!event.includes("*")) return [];
  const covers = compileEventFilter(event);
  const named = Object.entries(catalog).filter(([name]) => covers(name));
  const open = Object.entries(families).filter(([namespace]) => covers(`${namespace}:x`));
  return [...named, ...open].map(([, spec]) => spec);
}
