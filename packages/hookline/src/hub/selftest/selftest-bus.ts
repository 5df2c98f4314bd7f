import { createBus } from "@hookline/core";
import type { BrokenGuard } from "../../config/config.js";
import { deriveSource } from "../../extensions/derive-source.js";
import type { HandlerSource, HookSpec } from "../../extensions/handler-source.js";
import { registerSource } from "../../extensions/register-source.js";
import { ruleRegex, type Scope } from "../../rules/regex/rule-regex.js";
import { registerRules } from "../../rules/register-rules.js";
import type { Rule } from "../../rules/rule.js";
import type { Senders } from "../../rules/sender.js";
import { withoutState } from "../../rules/state/state-condition.js";
import { lookAtConfig, lookAtHook } from "../policy/faults.js";
import type { GuardSet, OpenedHook } from "../policy/guard-set.js";
import { createProjectScopes } from "../policy/project-scopes.js";
import { type StandInOptions, standIn } from "../policy/stand-in.js";
import { guardOfBroken, guardOfHook, guardOfRule } from "./guard.js";
import { type Refuse, type Stage, type TriedGuard, type Turn, tryGuard } from "./tried-guard.js";

/**
 * Everything that decides, on a separate bus with the hub's own rules and sources; no other handler sees the canaries. A source's guard answers only
 * while it is its turn, so that no program is run for another one's canary; what rewrites does so, as it would with a call.
 */
export function openSelftestBus({ rules, broken, hooks }: GuardSet, senders: Senders): readonly TriedGuard[] {
  const bus = createBus({
    source: "hookline-selftest",
    enabled: true,
    onAsk: "return",
    regex: ruleRegex,
    runAll: true,
    trace: false,
    onError: () => {},
  });
  const turn: Turn = { spec: undefined, calls: new Map() };
  bus.tap({ returned: (_, { id }, call) => void turn.calls.set(id, call) });
  const scopes = createProjectScopes();
  const stage: Stage = { bus, turn, senders };
  return [
    ...rules.flatMap((rule) => addRule(stage, rule, {})),
    ...broken.flatMap((guard) => addBroken(stage, guard, { owner: "rules", run: lookAtConfig(guard.kind, guard.file) })),
    ...hooks.flatMap((opened) => addHook(stage, opened, opened.hook.project === undefined ? undefined : scopes.of(opened.hook.project))),
  ];
}

interface Home {
  readonly owner?: string;
  readonly project?: string | undefined;
  readonly scope?: Scope | undefined;
}

function addRule(stage: Stage, rule: Rule, { owner, project, scope }: Home): TriedGuard[] {
  // A rule that answers guards nothing.
  if (rule.enabled === false || rule.stage === "observe" || rule.do === "notify" || rule.answers !== undefined) return [];
  const whose = owner === undefined ? {} : { owner, trust: "project" as const, ...(scope !== undefined && { scope }) };
  return tryGuard(
    stage,
    guardOfRule(rule, stage.senders, project),
    (onError) => void registerRules(stage.bus, [withoutState(rule)], { ...whose, onError }),
  );
}

function addBroken(stage: Stage, guard: BrokenGuard, { project, ...options }: StandInOptions & Pick<Home, "project">): TriedGuard[] {
  return tryGuard(stage, guardOfBroken(guard, project), () => void standIn(stage.bus, guard, options));
}

function addHook(stage: Stage, { hook, source }: OpenedHook, scope: Scope | undefined): TriedGuard[] {
  const home = { owner: hook.id, project: hook.project, scope };
  const seen = new Set<string>();
  return [
    ...hook.broken.flatMap((guard) => addBroken(stage, guard, { ...home, run: lookAtHook(hook) })),
    ...(hook.state === "broken" && hook.broken.length + hook.hooks.length === 0 ? addUnknown(stage, hook) : []),
    ...(source?.hooks ?? []).flatMap((spec) => addSpec(stage, { hook, source: source as HandlerSource, spec, scope, seen })),
    ...(hook.rules ?? []).flatMap((rule) => addRule(stage, rule, home)),
  ];
}

/** It is unknown what it would have guarded, so nothing counts as guarded. */
function addUnknown(stage: Stage, { name, project, path, problems }: OpenedHook["hook"]): TriedGuard[] {
  const guard = guardOfBroken({ kind: "hook", name, events: ["*"], file: path }, project);
  return tryGuard(stage, guard, (refuse) => refuse(new Error(["It cannot be used.", ...problems].join(" "))));
}

interface Entry {
  readonly hook: OpenedHook["hook"];
  readonly source: HandlerSource;
  readonly spec: HookSpec;
  readonly scope: Scope | undefined;
  /** The guards of this hook so far. */
  readonly seen: Set<string>;
}

function addSpec(stage: Stage, { hook, source, spec, scope, seen }: Entry): TriedGuard[] {
  if (spec.stage === "observe") return [];
  const name = spec.name === undefined ? hook.name : `${hook.name}/${spec.name}`;
  const guard = guardOfHook({ name, kind: source.kind, project: hook.project }, spec, stage.senders);
  // A guard of several events with one canary is tried on the first that can be blocked: the text may mean nothing to the others.
  const key = JSON.stringify([name, spec.canary]);
  const isFirst = guard !== undefined && !seen.has(key);
  if (isFirst) seen.add(key);
  const isSpeaking = (asked?: HookSpec) => asked === stage.turn.spec || asked?.stage === "rewrite";
  const own = deriveSource(source, {
    hooks: [spec],
    handle: (event, asked) => (isSpeaking(asked) ? source.handle(event, asked) : undefined),
  });
  const options = { owner: hook.id, permissions: hook.permissions, ...(scope !== undefined && { scope }) };
  const register = (onError: Refuse) => void registerSource(stage.bus, own, { ...options, onError });
  return tryGuard(stage, isFirst ? guard : undefined, register, spec);
}
