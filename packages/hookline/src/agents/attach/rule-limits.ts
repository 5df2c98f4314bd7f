import { findEvent } from "@hookline/core";
import type { AgentDialect, AgentPower, NativeEvent } from "../shared/definition.js";
import { coveredEvents } from "./covered-events.js";
import { carriers, transformLimits } from "./hook-limits.js";

/** What of a rule matters here. */
interface RuleLike {
  readonly name: string;
  readonly events: readonly string[];
  readonly do: string;
  readonly enabled?: boolean;
}

/** What a rule needs the agent to be able to. A question is put by the hub, which holds the call: that takes no more than a block. */
const needs: { readonly [action: string]: AgentPower } = {
  block: "block",
  ask: "block",
  allow: "allow",
  modify: "modify",
  inject: "inject",
  remind: "inject",
};

/** What an agent cannot do that a rule wants of it, a sentence each: said when the rule is loaded. */
export function ruleLimits(rules: readonly RuleLike[], dialects: readonly AgentDialect[]): string[] {
  return rules
    .filter(({ enabled }) => enabled !== false)
    .flatMap((rule) => dialects.flatMap((dialect) => rule.events.flatMap((event) => limitsOf(rule, event, dialect))));
}

function limitsOf({ name, do: action }: RuleLike, event: string, dialect: AgentDialect): string[] {
  const { title, events } = dialect;
  if (action === "replace")
    return coveredEvents(event)
      .filter((covered) => !event.includes("*") || covered in carriers)
      .flatMap((covered) => transformLimits(covered, dialect).map((text) => `rule "${name}": ${text}`));
  const power = needs[action];
  if (power === undefined || event === "*") return [];
  const covered = Object.entries(events).filter(([, native]) => native.leftAlone === undefined && isCovered(event, native));
  const say = (what: string): string[] => [`rule "${name}": ${title} ${what}`];
  if (covered.length === 0) return event.endsWith("*") ? [] : say(`does not tell of ${event}: it never applies there.`);
  const unable = covered.filter(([, { can }]) => !can.includes(power));
  // Of a pattern, only what none of its events can do is worth a word.
  if (unable.length === 0 || (event.endsWith("*") && unable.length < covered.length)) return [];
  const canBlock = unable.every(([, { can }]) => can.includes("block"));
  return say(`cannot ${verbs[action]} at ${unable.map(([native]) => native).join(" and ")}: ${outcome(action, canBlock)}.`);
}

const verbs: { readonly [action: string]: string } = {
  block: "be blocked",
  ask: "be held for an answer",
  allow: "be spared its own prompt",
  modify: "take a rewrite",
  inject: "be told anything",
  remind: "be told anything",
};

function outcome(action: string, canBlock: boolean): string {
  if (action === "modify") return canBlock ? "what it would rewrite is denied" : "it goes on as it was";
  if (action === "allow") return "it asks all the same";
  return action === "block" || action === "ask" ? "it goes on" : "it is told with the next event that can carry it";
}

function isCovered(pattern: string, { event, can }: NativeEvent): boolean {
  if (pattern.endsWith(":*")) return event.startsWith(pattern.slice(0, -1));
  const name = findEvent(pattern)?.name ?? pattern;
  // What comes of a transform is told at another event; a failed call has no output to transform.
  if (name === "tool:result") return can.includes("replace");
  return (carriers[name]?.event ?? name) === event;
}
