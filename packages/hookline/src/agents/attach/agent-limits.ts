import { catalog, findEvent } from "@hookline/core";
import { compileEventFilter } from "@hookline/core/internal/sinks";
import { splitHooks } from "../../extensions/after-tool.js";
import type { AgentDialect, AgentPower, NativeEvent } from "../shared/definition.js";

/** The part of a hook that is checked: one entry for each of its events. */
interface HookLike {
  readonly name: string;
  readonly hooks: readonly HookEvent[];
  readonly permissions: readonly string[];
}

interface HookEvent {
  readonly event: string;
  readonly stage?: string | undefined;
}

/** The events with which agents receive the result of a transform. They have no events for the transforms themselves. */
const carriers: { readonly [transform: string]: { readonly event: string; readonly power: AgentPower } } = {
  "tool:result": { event: "tool:after", power: "replace" },
  "prompt:build": { event: "prompt:submit", power: "modify" },
};

/** What an agent cannot do for a hook, one sentence each. Reported when the hook is loaded. */
export function hookLimits(hooks: readonly HookLike[], dialects: readonly AgentDialect[]): string[] {
  const said = hooks.flatMap(({ name, hooks: specs, permissions }) =>
    splitHooks(specs, permissions)
      .flatMap((spec) => dialects.flatMap((dialect) => coveredEvents(spec.event).flatMap((event) => limitsOf(event, spec, dialect))))
      .map((text) => `hook "${name}": ${text}`),
  );
  return [...new Set(said)];
}

function limitsOf(event: string, { event: asked, stage }: HookEvent, dialect: AgentDialect): string[] {
  if (asked.includes("*") && !isTold(event, dialect)) return [];
  const { kind, outcomes } = findEvent(event)?.spec ?? { kind: "observe", outcomes: [] };
  if (kind === "transform") return transformLimits(event, dialect);
  const { title } = dialect;
  const covered = nativesOf(dialect, event);
  if (covered.length === 0) return [`${title} does not report ${event}, so the hook never runs there.`];
  const isGuard = kind === "gate" && stage !== "observe" && outcomes.includes("block");
  const deaf = isGuard ? covered.filter(([, { can }]) => !can.includes("block")) : [];
  return deaf.length === 0 ? [] : [`${title} cannot be blocked at ${namesOf(deaf)}: it continues, whatever the hook answers.`];
}

/** Whether the agent reports the event, or one that carries its result. For a pattern, events that the agent lacks are not reported. */
function isTold(event: string, dialect: AgentDialect): boolean {
  return nativesOf(dialect, carriers[event]?.event ?? event).length > 0;
}

/** Which results of a transform the agent does not accept. The sentences do not name the handler. */
function transformLimits(event: string, dialect: AgentDialect): string[] {
  const { title, unreported = {} } = dialect;
  const carrier = carriers[event];
  if (carrier === undefined) return [`${title} does not ask about ${event}, so nothing is changed there.`];
  const natives = nativesOf(dialect, carrier.event);
  const unable = natives.filter(([, { can }]) => !can.includes(carrier.power));
  const which = unable.length < natives.length ? " of a failed call" : "";
  const missing = unreported[carrier.event];
  if (event === "prompt:build")
    return unable.length === 0
      ? []
      : [`${title} does not accept a changed prompt at ${namesOf(unable)}: it receives only injected text. A withheld prompt is not sent.`];
  return [
    ...(unable.length === 0
      ? []
      : [`${title} does not accept a changed output at ${namesOf(unable)}: the model sees the original output${which}.`]),
    ...(missing === undefined ? [] : [`${title} ${missing}: the model sees their original output.`]),
  ];
}

function nativesOf({ events }: AgentDialect, event: string): (readonly [string, NativeEvent])[] {
  return Object.entries(events).filter(([, native]) => native.leftAlone === undefined && native.event === event);
}

function namesOf(natives: readonly (readonly [string, NativeEvent])[]): string {
  return natives.map(([native]) => native).join(" and ");
}

/** The events of the catalogue that a name or pattern covers. Empty for `*`, which needs no event in particular. */
function coveredEvents(event: string): readonly string[] {
  const name = event.trim();
  if (!name.includes("*")) return [findEvent(name)?.name ?? name];
  return name === "*" ? [] : Object.keys(catalog).filter(compileEventFilter(name));
}

/** The part of a rule that is checked. */
interface RuleLike {
  readonly name: string;
  readonly events: readonly string[];
  readonly do: string;
  readonly enabled?: boolean;
}

/** The effect that a rule needs from the agent. The hub itself asks a person and holds the call meanwhile, so `ask` needs only a block. */
const needs: { readonly [action: string]: AgentPower } = {
  block: "block",
  ask: "block",
  allow: "allow",
  modify: "modify",
  inject: "inject",
  remind: "inject",
};

/** What an agent cannot do for a rule, one sentence each. Reported when the rule is loaded. */
export function ruleLimits(rules: readonly RuleLike[], dialects: readonly AgentDialect[]): string[] {
  return rules
    .filter(({ enabled }) => enabled !== false)
    .flatMap((rule) => dialects.flatMap((dialect) => rule.events.flatMap((event) => limitsOfRule(rule, event, dialect))));
}

function limitsOfRule({ name, do: action }: RuleLike, event: string, dialect: AgentDialect): string[] {
  const { title, events } = dialect;
  if (action === "replace")
    return coveredEvents(event)
      .filter((covered) => !event.includes("*") || covered in carriers)
      .flatMap((covered) => transformLimits(covered, dialect).map((text) => `rule "${name}": ${text}`));
  const power = needs[action];
  if (power === undefined || event === "*") return [];
  const covered = Object.entries(events).filter(([, native]) => native.leftAlone === undefined && isCovered(event, native));
  const say = (what: string): string[] => [`rule "${name}": ${title} ${what}`];
  if (covered.length === 0) return event.endsWith("*") ? [] : say(`does not report ${event}, so it never applies there.`);
  const unable = covered.filter(([, { can }]) => !can.includes(power));
  // For a pattern, report only what none of its events can do.
  if (unable.length === 0 || (event.endsWith("*") && unable.length < covered.length)) return [];
  const canBlock = unable.every(([, { can }]) => can.includes("block"));
  return say(`cannot ${verbs[action]} at ${unable.map(([native]) => native).join(" and ")}: ${outcome(action, canBlock)}.`);
}

const verbs: { readonly [action: string]: string } = {
  block: "be blocked",
  ask: "be held for an answer",
  allow: "skip its own prompt",
  modify: "take a rewrite",
  inject: "be told anything",
  remind: "be told anything",
};

function outcome(action: string, canBlock: boolean): string {
  if (action === "modify") return canBlock ? "what it would rewrite is denied" : "it runs unchanged";
  if (action === "allow") return "it still asks";
  return action === "block" || action === "ask" ? "it goes on" : "it is told with the next event that can carry it";
}

function isCovered(pattern: string, { event, can }: NativeEvent): boolean {
  if (pattern.endsWith(":*")) return event.startsWith(pattern.slice(0, -1));
  const name = findEvent(pattern)?.name ?? pattern;
  // The result of a transform is sent with another event. A failed call has no output to transform.
  if (name === "tool:result") return can.includes("replace");
  return (carriers[name]?.event ?? name) === event;
}
