import type { BrokenGuard } from "../../config/config.js";
import { failureModeOf } from "../../extensions/guards-of.js";
import type { HookSpec, SourceKind } from "../../extensions/handler-source.js";
import { defaultFailureMode } from "../../rules/default-failure.js";
import { eventFor } from "../../rules/example-event.js";
import type { Rule } from "../../rules/rule.js";
import type { Senders } from "../../rules/sender.js";
import { type CanarySet, canariesOf, sampleCanaries, takes } from "./canary.js";

/** Something that must deny, and what shows whether it does. */
export interface Guard extends CanarySet {
  readonly name: string;
  readonly kind: "rule" | "hook" | "broken";
  /** The project that brings it. */
  readonly project?: string | undefined;
  readonly tool?: string | readonly string[] | undefined;
  /** Whether a failure of it denies. */
  readonly isClosed: boolean;
  /** Where there is none: how to give it one. */
  readonly hint?: string;
}

/** `undefined` for a rule that does not guard, or that fails open and has no examples. */
export function guardOfRule(rule: Rule, senders: Senders, project?: string): Guard | undefined {
  const { name, do: action, match, tool, examples: { catches = [] } = {} } = rule;
  if ((action !== "block" && action !== "ask") || rule.mode === "shadow") return undefined;
  const event = eventFor(rule.events, takes(action));
  const isClosed = (rule.onFailure ?? defaultFailureMode(event ?? "")) === "closed";
  if (event === undefined || (!isClosed && catches.length === 0)) return undefined;
  const target = { event, tool, match, project };
  const guard = { name, kind: "rule", project, tool, isClosed } as const;
  if (catches.length > 0) return { ...guard, ...canariesOf(catches, target, senders) };
  const samples = sampleCanaries(target, senders);
  if (match === undefined) return { ...guard, ...samples };
  return { ...guard, ...samples, canaries: [], hint: 'examples = { catches = ["…"] }' };
}

/** `undefined` for a hook that does not guard, or that fails open and has no canary. */
export function guardOfHook(home: HookHome, spec: HookSpec, senders: Senders): Guard | undefined {
  const { event: given, tool, match, stage, canary } = spec;
  const { name, project } = home;
  const event = eventFor([given], takes("block"));
  const isClosed = failureModeOf(spec) === "closed";
  if (event === undefined || stage === "observe") return undefined;
  const guard = { name, kind: "hook", project, tool, isClosed } as const;
  const target = { event, tool, match, project };
  if (canary !== undefined) return { ...guard, ...canariesOf([canary], target, senders) };
  if (!isClosed || stage === "rewrite") return undefined;
  return { ...guard, ...sampleCanaries(target, senders), canaries: [], hint: hints[home.kind] };
}

interface HookHome {
  readonly name: string;
  readonly kind: SourceKind;
  readonly project?: string | undefined;
}

const inTable = 'canary = "…"';
const hints: { readonly [kind in SourceKind]: string } = {
  module: inTable,
  command: inTable,
  url: inTable,
  folder: 'canary: "…" in its HOOK.yaml',
  process: '"canary": "…" in its extension.json',
};

/** What stands in for a guard that is wrong denies everything. */
export function guardOfBroken({ name, events, tool }: BrokenGuard, project?: string): Guard {
  // Its event may be what is wrong with it: then it stands for more.
  const event = eventFor([...events, "*"], takes("block")) as string;
  return { name, kind: "broken", project, isClosed: true, ...sampleCanaries({ event, tool, project }, { agents: [] }) };
}
