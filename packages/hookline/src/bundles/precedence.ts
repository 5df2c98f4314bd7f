import { createHash } from "node:crypto";
import { block, findEvent, HookError, type HookEvent, type Outcome } from "@hookline/core";
import { isOutcome, readOutcomes } from "@hookline/core/internal";
import type { RuleConfig } from "../config/config.js";
import { deriveSource } from "../extensions/derive-source.js";
import { failureModeOf } from "../extensions/guards-of.js";
import type { HookSpec, OwnedSource, SourceAnswer } from "../extensions/handler-source.js";
import type { InstalledHook } from "../extensions/installed/installed-hook.js";
import type { RuleHandler } from "../rules/actions.js";
import { specsOf } from "../rules/rule-faults.js";

/** Before all others: what it hides from a value, no handler of a lower level sees. */
const FIRST = Number.MAX_VALUE;

/**
 * A rule of the fleet as it is put on a bus. A rewrite runs with the guards, after the rewrites of users: in stage `rewrite`, a later handler
 * could undo it unseen.
 */
export function asFleetRule(rule: RuleConfig): RuleConfig {
  if (rule.do === "modify") return { ...rule, stage: "guard", priority: FIRST };
  return rule.do === "replace" ? { ...rule, priority: FIRST } : rule;
}

/** The same for a hook. */
export function asFleetHook(hook: InstalledHook, rewrites: KeptRewrites): InstalledHook {
  const { open } = hook;
  const hooks = hook.hooks.map(asFleetSpec);
  if (open === undefined) return { ...hook, hooks };
  return { ...hook, hooks, open: (onProblem, check) => rewrites.source(deriveSource(open(onProblem, check), { hooks })) };
}

function asFleetSpec(spec: HookSpec): HookSpec {
  const isFirst = spec.stage === "rewrite" || specsOf(spec.event).some(({ kind }) => kind === "transform");
  const kept = { onFailure: failureModeOf(spec), ...(spec.stage === "rewrite" && { stage: "guard" as const }) };
  return isFirst ? { ...spec, ...kept, priority: FIRST } : spec;
}

/** Denies a call that a lower level rewrites after the fleet has. */
export interface KeptRewrites {
  rule(answer: RuleHandler): RuleHandler;
  source(source: OwnedSource): OwnedSource;
}

/** Calls whose rewrites are remembered; a decision takes much less time than so many others need. */
const MAX_CALLS = 10_000;

interface Rewritten {
  /** Of the payload that the fleet left. */
  hash: string;
  /** The rules and hooks that have rewritten it: each does it once, however often it looks again. */
  readonly by: Set<object>;
}

export function createKeptRewrites(): KeptRewrites {
  const calls = new Map<string, Rewritten>();

  function isLost(event: HookEvent): boolean {
    const known = calls.get(event.id);
    return known !== undefined && known.hash !== hashOf(event.payload);
  }

  /** What is left of an answer: without a rewrite that was made before. */
  function noted(event: HookEvent, by: object, parts: readonly Part[]): readonly Part[] {
    const rewrite = parts.find(isRewrite);
    if (rewrite === undefined || findEvent(event.name)?.spec.kind !== "gate") return parts;
    const known = calls.get(event.id);
    if (known?.by.has(by)) return parts.filter((part) => !isRewrite(part));
    const entry = known ?? { hash: "", by: new Set() };
    entry.hash = hashOf(payloadOf(rewrite, event.payload));
    entry.by.add(by);
    calls.set(event.id, entry);
    if (calls.size > MAX_CALLS) calls.delete(calls.keys().next().value as string);
    return parts;
  }

  return {
    rule: (answer) => (event) => {
      if (isLost(event)) return block(LOST);
      const outcome = answer(event);
      return outcome === undefined ? undefined : (noted(event, answer, [outcome])[0] as Outcome | undefined);
    },
    source: (source) =>
      deriveSource(source, {
        async handle(event, hook) {
          if (isLost(event)) return block(LOST);
          const answer = await source.handle(event, hook);
          if (findEvent(event.name)?.spec.kind !== "gate") return answer;
          return answerOf(noted(event, hook ?? source, readOutcomes(answer)));
        },
      }),
  };
}

const LOST = "The fleet's policy rewrote this call, and what would run now is not what it made of it, so the call is denied.";

type Part = ReturnType<typeof readOutcomes>[number];

function answerOf(parts: readonly Part[]): SourceAnswer {
  return parts.length === 0 ? undefined : (parts as unknown as SourceAnswer);
}

function isRewrite(part: Part): boolean {
  return isOutcome(part) ? part.kind === "modify" : !(part instanceof HookError);
}

function payloadOf(rewrite: Part, payload: unknown): unknown {
  if (isOutcome(rewrite)) return rewrite.value;
  const { tool } = Object(payload) as { readonly tool?: object };
  return { ...Object(payload), tool: { ...tool, input: (rewrite as { readonly args?: unknown }).args } };
}

function hashOf(payload: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(payload) ?? "")
    .digest("base64");
}

const STALE = "The fleet's policy is out of date, so this is denied where it would be asked about.";

/** A rule of a policy that is out of date, under `onStale = "tighten"`. Undefined for one that allows. */
export function tightenedRule(rule: RuleConfig): RuleConfig | undefined {
  if (rule.do === "allow") return undefined;
  if (rule.do !== "ask" && rule.do !== "block") return rule;
  const unknown = rule.unknown === "pass" ? ({ unknown: "ask" } as const) : {};
  if (rule.do === "block") return { ...rule, ...unknown };
  return { ...rule, ...unknown, do: "block", message: `${rule.message ?? `The rule "${rule.name}" asks a person to decide.`} ${STALE}` };
}

/** The same for a hook: what it asks about is denied, and what it allows counts as no opinion. */
export function tightenedHook(hook: InstalledHook): InstalledHook {
  const { open, version } = hook;
  if (open === undefined) return hook;
  return { ...hook, version: `tightened ${version}`, open: (onProblem, check) => tightenedSource(open(onProblem, check)) };
}

function tightenedSource(source: OwnedSource): OwnedSource {
  return deriveSource(source, {
    async handle(event, hook) {
      const answer = await source.handle(event, hook);
      if (findEvent(event.name)?.spec.kind !== "gate") return answer;
      const parts = readOutcomes(answer).filter((part) => !isOutcome(part) || part.kind !== "allow");
      return answerOf(parts.map((part) => (isOutcome(part) && part.kind === "ask" ? block(`${part.reason ?? ""} ${STALE}`.trim()) : part)));
    },
  });
}
