import { findEvent } from "@hookline/core";
import { splitHooks } from "../../extensions/after-tool.js";
import type { AgentDialect, AgentPower, NativeEvent } from "../shared/definition.js";
import { coveredEvents } from "./covered-events.js";

/** What of a hook matters here: an entry for each of its events. */
interface HookLike {
  readonly name: string;
  readonly hooks: readonly HookEvent[];
  readonly permissions: readonly string[];
}

interface HookEvent {
  readonly event: string;
  readonly stage?: string | undefined;
}

/** The events at which agents are told what a transform made: they have none of the transforms' own. */
export const carriers: { readonly [transform: string]: { readonly event: string; readonly power: AgentPower } } = {
  "tool:result": { event: "tool:after", power: "replace" },
  "prompt:build": { event: "prompt:submit", power: "modify" },
};

/** What an agent cannot do that a hook may want of it, a sentence each: said when the hook is loaded. */
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
  if (covered.length === 0) return [`${title} does not tell of ${event}: the hook is never asked there.`];
  const isGuard = kind === "gate" && stage !== "observe" && outcomes.includes("block");
  const deaf = isGuard ? covered.filter(([, { can }]) => !can.includes("block")) : [];
  return deaf.length === 0 ? [] : [`${title} cannot be blocked at ${namesOf(deaf)}: it goes on, whatever the hook says.`];
}

/** Whether an agent has the event, or one that carries what comes of it. Of a pattern the others are not worth a word. */
function isTold(event: string, dialect: AgentDialect): boolean {
  return nativesOf(dialect, carriers[event]?.event ?? event).length > 0;
}

/** What an agent cannot be given of what a transform makes, without who makes it. */
export function transformLimits(event: string, dialect: AgentDialect): string[] {
  const { title, unreported = {} } = dialect;
  const carrier = carriers[event];
  if (carrier === undefined) return [`${title} does not ask about ${event}: nothing is changed there.`];
  const unable = nativesOf(dialect, carrier.event).filter(([, { can }]) => !can.includes(carrier.power));
  const missing = unreported[carrier.event];
  if (event === "prompt:build")
    return unable.length === 0
      ? []
      : [
          `${title} cannot be given another prompt at ${namesOf(unable)}: only what is injected is told. A prompt that is withheld is not sent.`,
        ];
  return [
    ...(unable.length === 0
      ? []
      : [`${title} cannot be given another output at ${namesOf(unable)}: the model sees that of a failed call as it is.`]),
    ...(missing === undefined ? [] : [`${title} ${missing}: the model sees their output as it is.`]),
  ];
}

function nativesOf({ events }: AgentDialect, event: string): (readonly [string, NativeEvent])[] {
  return Object.entries(events).filter(([, native]) => native.leftAlone === undefined && native.event === event);
}

function namesOf(natives: readonly (readonly [string, NativeEvent])[]): string {
  return natives.map(([native]) => native).join(" and ");
}
