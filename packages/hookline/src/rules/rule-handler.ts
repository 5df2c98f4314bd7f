import { allow, ask, block, type HookEvent, inject, modify, type Outcome, remind, replace } from "@hookline/core";
import { compileAssignments } from "./assignments.js";
import { compileReplace } from "./replacement.js";
import type { Rule } from "./rule.js";
import { allowsOutcome } from "./rule-faults.js";

/** What a rule with `do = "notify"` has to say. */
export interface RuleNotice {
  readonly rule: string;
  readonly message: string;
  readonly event: string;
  readonly session: HookEvent["session"];
  readonly payload: unknown;
}

type Handler = (event: HookEvent) => Outcome | undefined;

/** The handler of a rule: what it answers to an event that matches. Throws `HL_BAD_RULE`. */
export function createRuleHandler(rule: Rule, onNotify: (notice: RuleNotice) => void): Handler {
  if (rule.do === "notify") return (event) => notify(rule, event, onNotify);
  const answer = createAnswer(rule);
  const isSure = rule.events.every((event) => !event.includes("*"));
  // A pattern also covers events that do not know the outcome.
  return isSure ? answer : (event) => (allowsOutcome(event.name, rule.do as Outcome["kind"]) ? answer(event) : undefined);
}

function createAnswer(rule: Rule): Handler {
  const message = rule.message ?? `The rule "${rule.name}" ${rule.do === "ask" ? "wants a person to decide" : `says ${rule.do}`}.`;
  switch (rule.do) {
    case "block":
      return always(block(message));
    case "ask":
      return always(ask(message));
    case "allow":
      return always(allow(message));
    case "inject":
      return always(inject(message));
    case "remind":
      return always(remind({ body: message, dedupeKey: `rule:${rule.name}` }));
    case "replace":
      return createReplace(rule);
    default:
      return createRewrite(rule);
  }
}

function always(outcome: Outcome): Handler {
  return () => outcome;
}

function createReplace({ find = "", with: replacement = "" }: Rule): Handler {
  const compiled = compileReplace(find, replacement);
  return ({ value }) => replace(compiled.replace(value));
}

function createRewrite({ set = {}, message }: Rule): Handler {
  const assign = compileAssignments(set);
  return ({ payload }) => {
    const next = assign(payload);
    return next === payload ? undefined : modify(next, message);
  };
}

function notify(
  { name, message = "" }: Rule,
  { name: event, session, payload }: HookEvent,
  onNotify: (notice: RuleNotice) => void,
): undefined {
  onNotify({ rule: name, message, event, session, payload });
}
