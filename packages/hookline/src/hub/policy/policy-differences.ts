import { isDeepStrictEqual } from "node:util";
import { inertText } from "@hookline/core/internal/text";
import type { Config, RuleConfig } from "../../config/config.js";
import { unifiedDiff } from "../../config/unified-diff.js";
import type { Rule } from "../../rules/rule.js";
import { durationText, isStateTighter, withoutState } from "../../rules/state/state-condition.js";
import type { PolicyChange } from "../protocol.js";
import type { AcceptedPolicy, DecidingSettings } from "./accepted-policy.js";
import { digestOf } from "./shown.js";

/** What a command sets on an entry that is accepted. */
export interface Keys {
  readonly enabled?: boolean;
  readonly mode?: "enforce";
}

/** One difference between the accepted policy and what is on disk. */
export interface Difference {
  readonly change: PolicyChange;
  /**
   * `tightens`: it can only deny or ask more. `code`: something else would run. `consent`: the same, after consent in plain mode. `fleet`: the
   * fleet's policy would come from elsewhere, or not at all.
   */
  readonly effect: "tightens" | "code" | "consent" | "fleet" | "other";
  /** The file or folder that it is in. */
  readonly path?: string;
  /** The digest that the change would have if the accepted version were different in these keys alone. */
  digestWith?(set: Keys): string;
  /** The accepted policy with it. */
  take(policy: AcceptedPolicy): AcceptedPolicy;
}

/** What differs between the accepted rules and those of the file. */
export function ruleDifferences(accepted: readonly RuleConfig[], { rules, broken }: Pick<Config, "rules" | "broken">): Difference[] {
  // A rule that cannot be read is not gone: it denies what it would have guarded, and the accepted version stays in force besides.
  const written = new Set([...rules, ...broken].map(({ name }) => name));
  const gone = accepted.filter(({ name }) => !written.has(name));
  const byName = new Map(accepted.map((rule) => [rule.name, rule]));
  return [
    ...rules.flatMap((rule) => ruleDifference(byName.get(rule.name), rule)),
    ...gone.map((rule) => ruleChange("removed", rule, undefined)),
  ];
}

function ruleDifference(before: RuleConfig | undefined, rule: RuleConfig): Difference[] {
  if (before === undefined) return [ruleChange("new", undefined, rule)];
  return digestOf(decidingPart(before)) === digestOf(decidingPart(rule)) ? wording(before, rule) : [ruleChange("changed", before, rule)];
}

/** Other words do not change what is decided, so they need no acceptance. */
function wording(before: RuleConfig, rule: RuleConfig): Difference[] {
  if (digestOf(placeless(before)) === digestOf(placeless(rule))) return [];
  return [{ ...ruleChange("changed", before, rule), effect: "tightens" }];
}

function ruleChange(kind: PolicyChange["change"], before: RuleConfig | undefined, after: RuleConfig | undefined): Difference {
  const { name, file } = (after ?? before) as RuleConfig;
  const effect = tightens(before, after) ? "tightens" : "other";
  return {
    effect,
    path: file,
    change: {
      id: `rule:${name}`,
      kind: "rule",
      name,
      change: kind,
      isCode: false,
      what: kind === "changed" ? `the rule "${name}" was changed (${changedKeys(before, after)}).` : `the rule "${name}" ${SAID[kind]}.`,
      inForce:
        kind === "new" ? "It is not in force until you accept it." : "The accepted version stays in force until you accept the change.",
      denies: false,
      digest: ruleDigest(name, after),
      // Of thousands of rules, few are shown.
      get diff() {
        return diffOf(name, before && placeless(before), after && placeless(after));
      },
    },
    ...(before !== undefined && { digestWith: (set: Keys) => ruleDigest(name, { ...before, ...set }) }),
    take: (policy) => ({
      ...policy,
      rules: [...policy.rules.filter((rule) => rule.name !== name), ...(after === undefined ? [] : [after])],
    }),
  };
}

/** The digest of the change that makes this the rule of that name, or removes it. */
export function ruleDigest(name: string, rule: Rule | undefined): string {
  return digestOf(rule === undefined ? ["no rule", name] : ["rule", placeless(rule)]);
}

function tightens(before: RuleConfig | undefined, after: RuleConfig | undefined): boolean {
  // A rule in the shadow decides nothing, so nothing is lost with it.
  if (after === undefined) return before?.mode === "shadow";
  // A rule that was not in force and now blocks or asks is as good as a new one.
  const isAdded = before === undefined || before.enabled === false || before.mode === "shadow";
  if (isAdded) return after.mode === "shadow" || isGuard(after);
  return isGuard(after) && after.mode !== "shadow" && (actsMoreOften(before, after) || onlyAddsPaths(before, after));
}

function isGuard({ do: action }: RuleConfig): boolean {
  return action === "block" || action === "ask";
}

/** Only what a rule waits for is different, and it waits for less: a smaller count, a longer time, a smaller budget. */
function actsMoreOften(before: RuleConfig, after: RuleConfig): boolean {
  const same = digestOf(decidingPart(withoutState(before))) === digestOf(decidingPart(withoutState(after)));
  return same && isStateTighter(before, after);
}

/** Only the sets of paths that the rule names are others, and they have more paths than before. A rule that leaves a set out guards less then. */
function onlyAddsPaths(before: RuleConfig, after: RuleConfig): boolean {
  const { sets: old = {}, ...rest } = before;
  const { sets: now = {}, ...same } = after;
  if (digestOf(decidingPart(rest)) !== digestOf(decidingPart(same)) || JSON.stringify(after).includes('"!@')) return false;
  const isMore = (name: string): boolean => {
    const [had, has] = [old[name] ?? [], now[name] ?? []];
    return had.every((path) => has.includes(path)) && has.every((path) => had.includes(path) || !path.startsWith("!"));
  };
  return [...Object.keys(old), ...Object.keys(now)].every(isMore);
}

export const SAID = { new: "is new", changed: "was changed", removed: "was removed" } as const;

/** `do, match` */
export function changedKeys(before: object = {}, after: object = {}): string {
  const [old, now] = [before, after] as [{ readonly [key: string]: unknown }, { readonly [key: string]: unknown }];
  const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((key) => key !== "line" && key !== "file");
  return keys.filter((key) => JSON.stringify(old[key]) !== JSON.stringify(now[key])).join(", ");
}

/** The lines that differ, as JSON. */
export function diffOf(name: string, before: object | undefined, after: object | undefined): string {
  const text = (value: object | undefined) => value && `${JSON.stringify(value, undefined, 2)}\n`;
  return inertLines(unifiedDiff(name, text(before), text(after)));
}

function inertLines(text: string): string {
  return text
    .split("\n")
    .map((line) => inertText(line))
    .join("\n");
}

/** What a rule decides. The message of a verdict is only shown; that of other actions is what they do. */
function decidingPart({ description: _, examples: __, pack: ___, message, mode, ...rule }: RuleConfig): object {
  return sorted({
    ...placeless(rule as RuleConfig),
    ...(mode === "shadow" && { mode }),
    ...(rule.do !== "block" && rule.do !== "ask" && { message }),
  });
}

function placeless({ file: _, line: __, ...rule }: Rule): object {
  return sorted(rule);
}

/** The order of keys in the file means nothing. */
function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function settingDifferences(accepted: DecidingSettings, settings: DecidingSettings): Difference[] {
  const keys = [...new Set([...Object.keys(accepted), ...Object.keys(settings)])] as (keyof DecidingSettings)[];
  return keys
    .filter((key) => !isDeepStrictEqual(accepted[key], settings[key]))
    .map((key) => settingChange(key, accepted[key], settings[key]));
}

const FLEET_SETTINGS: readonly (keyof DecidingSettings)[] = [
  "policy.from",
  "policy.key",
  "policy.channel",
  "policy.onStale",
  "policy.maxAge",
];

/** Stored in milliseconds, and written with a unit in the file. */
const TIMES: readonly (keyof DecidingSettings)[] = ["policy.maxAge", "hub.askTimeout"];

function settingChange(key: keyof DecidingSettings, before: unknown, after: unknown): Difference {
  const text = (value: unknown): string =>
    value === undefined ? "not set" : JSON.stringify(TIMES.includes(key) && typeof value === "number" ? durationText(value) : value);
  return {
    effect: FLEET_SETTINGS.includes(key) ? "fleet" : "other",
    change: {
      id: `setting:${key}`,
      kind: "setting",
      name: key,
      change: before === undefined ? "new" : after === undefined ? "removed" : "changed",
      isCode: false,
      what: `the setting "${key}" is now ${text(after)}; before: ${text(before)}.`,
      inForce: "The accepted value stays in force until you accept the change.",
      denies: false,
      digest: digestOf([key, after ?? null]),
      diff: `-${key} = ${text(before)}\n+${key} = ${text(after)}\n`,
    },
    take: ({ settings, ...policy }) => {
      const { [key]: _, ...others } = settings;
      return { ...policy, settings: after === undefined ? others : { ...others, [key]: after } };
    },
  };
}
