import { dirname, join } from "node:path";
import { type Bus, block, errorText, type HookError } from "@hookline/core";
import { watchSignature } from "@hookline/core/internal/machine";
import type { Config, LoadedConfig, RuleConfig } from "../../config/config.js";
import { inSlices } from "../../config/in-slices.js";
import { byEntry, type ConfigProblem, entryOf, formatProblem } from "../../config/problem.js";
import { watchConfig } from "../../config/watch-config.js";
import { brokenEntries, type InstalledHook } from "../../extensions/installed/installed-hook.js";
import { createSecondLook } from "../../machine/second-look.js";
import type { RuleNotice } from "../../rules/actions.js";
import { answeringRules, askingRule } from "../../rules/answers.js";
import { everyPermission } from "../../rules/default-failure.js";
import { prepareRules as compileRules, findLooseEnds, type PreparedRules, type RuleShadow, stateOf } from "../../rules/register-rules.js";
import type { RuleState } from "../../rules/state/rule-state.js";
import { hasState, rememberedBy } from "../../rules/state/state-condition.js";
import type { BundlePolicy } from "../bundles/bundle-policy.js";
import type { CarriedCounts } from "../handlers/carried-counts.js";
import type { Fault, PolicyChange, RuleSummary } from "../protocol.js";
import type { Acceptance } from "./acceptance.js";
import { type ConfigInForce, faultOfFile, faultsOfConfig, faultsOfHook, isOfPolicy, lookAtConfig } from "./faults.js";
import type { GuardSet, OpenedHook } from "./guard-set.js";
import { createHookFinder } from "./hook-finder.js";
import { createHooksOnBus } from "./hooks-on-bus.js";
import type { ProjectScopes } from "./project-scopes.js";
import { standIn } from "./stand-in.js";

export interface PolicyOptions {
  readonly bus: Bus;
  /** Asked during a pause: with the fleet's guards alone. */
  readonly pausedBus?: Bus;
  readonly config: Config;
  /** What is wrong in the file that it was read from. */
  readonly problems: readonly ConfigProblem[];
  /** Where the file stands, or will. Beside it is the folder `hooks`. */
  readonly path: string;
  /** The state folder, with the record of consent. */
  readonly state: string;
  /** Which of the rules and hooks on disk are in force. Without it, all are. */
  readonly acceptance?: Acceptance;
  /** The policy that comes in signed bundles. */
  readonly bundles?: BundlePolicy;
  readonly scopes: ProjectScopes;
  /** What rules remember. */
  readonly ruleState?: RuleState;
  readonly counts: CarriedCounts;
  readonly onError: (error: HookError) => void;
  readonly onProblem: (text: string) => void;
  readonly onNotify: (notice: RuleNotice) => void;
  /** What rules in the shadow would have said. */
  readonly onShadow?: (shadow: RuleShadow) => void;
  /** The guards are others now. */
  readonly onChange: () => void;
  /** Resolves when no process acts on the guards before. */
  readonly settled?: () => Promise<void>;
  /** The file says something else in its other tables. */
  readonly onConfig: (loaded: LoadedConfig) => void;
}

export interface Policies {
  /** Reads everything again now. Resolves when it is in force, also in processes that let calls pass by themselves. */
  reload(): Promise<void>;
  /** What decides now. */
  guards(): GuardSet;
  /** What stands in a file and is not in force. */
  faults(): readonly Fault[];
  /** All hooks, those that are broken among them. */
  hooks(): readonly InstalledHook[];
  /** The rules of the file, those that are broken among them. */
  rules(): readonly RuleSummary[];
  /** Why the rules and hooks are not those of the file; nothing when they are. */
  readonly stale: string | undefined;
  close(): Promise<void>;
}

/**
 * Keeps the hub's bus in step with the disk: the rules and hooks of `hookline.toml`, the user's hook folders, and the project hooks
 * that the user consented to. A faulty file leaves the last good version in force.
 */
export async function openPolicies(options: PolicyOptions): Promise<Policies> {
  const {
    bus,
    path,
    state,
    acceptance,
    bundles,
    ruleState,
    counts,
    onError,
    onProblem,
    onNotify,
    onShadow = () => {},
    onChange,
    onConfig,
  } = options;
  const board = createHooksOnBus(options);
  const finder = createHookFinder({ folder: join(dirname(path), "hooks"), state, onProblem });
  let config = options.config;
  let inForce: ConfigInForce = { config, problems: options.problems, isReread: false };
  /** What is wrong in a newer version of the file, which is not taken up. */
  let edit: readonly ConfigProblem[] = [];
  let unreadable: Fault | undefined;
  /** The rules of the file, or those that were accepted in their place. */
  let accepted: readonly RuleConfig[] = [];
  let rules: readonly Entry[] = [];
  /** Why every tool call is denied. */
  let denies: string | undefined;
  let broken: Entry = { name: "", key: "[]", close: () => {} };

  function openBroken({ broken: guards }: Config): Entry {
    const offs = guards.flatMap((guard) => standIn(bus, guard, { owner: RULES, run: lookAtConfig(guard.kind, path) }));
    if (denies !== undefined) {
      const reason = denies;
      offs.push(
        bus.on("tool:before", () => block(reason), {
          name: "lost record",
          owner: RULES,
          permissions: everyPermission,
          onFailure: "closed",
        }),
      );
    }
    return { name: "", key: JSON.stringify([guards, denies]), close: () => offs.forEach((off) => void off()) };
  }
  /** Compiles the rules that are others now, one a step. Those before the first of them keep their counters. */
  function* prepareRules(next: readonly RuleConfig[], written: readonly RuleConfig[]): Generator<void, NextRules> {
    const keys = keysOf(next);
    const changed = keys.findIndex((key, index) => rules[index]?.key !== key);
    const kept = changed < 0 ? next.length : changed;
    // Once for all rules: for each of them again, thousands of rules would stop the hub for seconds.
    const looseEnds = kept === next.length ? new Map() : findLooseEnds(next, written, next);
    const prepared: NextRules["prepared"][number][] = [];
    for (const [index, rule] of next.slice(kept).entries()) {
      const compiled = compileRules(bus, [rule], {
        onError,
        onNotify,
        onShadow,
        looseEnds,
        // Only what was accepted answers a question.
        inForce: next,
        ...(ruleState !== undefined && { state: ruleState }),
      });
      prepared.push({ name: rule.name, key: keys[kept + index] as string, compiled });
      yield;
    }
    return { kept, prepared };
  }
  /** Says whether anything is different. */
  function swapRules({ kept, prepared }: NextRules): boolean {
    if (kept === rules.length && prepared.length === 0 && broken.key === JSON.stringify([config.broken, denies])) return false;
    const renewed = new Set(rules.slice(kept).map(({ name }) => name));
    counts.keep(({ owner, name }) => owner === RULES && renewed.has(name));
    bus.batch(() => {
      for (const { close } of [...rules.slice(kept), broken]) close();
      const opened = prepared.map(({ name, key, compiled }): Entry => ({ name, key, close: compiled.put().close }));
      rules = [...rules.slice(0, kept), ...opened];
      broken = openBroken(config);
    });
    return true;
  }
  /** Says whether everything on disk could be read and taken up. */
  async function adopt(next: Config, problems: readonly ConfigProblem[]): Promise<boolean> {
    const found = await finder.find(next);
    const applied = (await acceptance?.apply(next, found)) ?? {
      rules: next.rules,
      hooks: found,
      source: next.policy,
      isWhole: true,
      denies: undefined,
    };
    await bundles?.configure(applied.source);
    // The policy before stays in force until the new one is complete.
    const nextRules = await inSlices(prepareRules(applied.rules, next.rules));
    const swapHooks = await board.prepare([...(bundles?.inForce() ?? []), ...applied.hooks]).catch((error: unknown) => {
      for (const { compiled } of nextRules.prepared) compiled.drop();
      throw error;
    });
    // In one go: no event is decided between the old version and the new. Of equal priority, who is registered first runs first.
    if (next !== config) inForce = { config: next, problems, isReread: true };
    config = next;
    accepted = applied.rules;
    denies = applied.denies;
    const isOther = swapRules(nextRules);
    if (swapHooks(isOther) || isOther) onChange();
    return finder.isWhole && board.isWhole && applied.isWhole && applied.hooks.every(({ state: how }) => how !== "broken");
  }

  // What changes while it is read is seen when it is looked at for the first time.
  const before = finder.signature(config);
  const secondLook = createSecondLook(() => void inTurn());
  let running = adopt(config, options.problems).then(secondLook.after);
  await running;
  /** What was read last. It takes the place of versions that wait to be adopted. */
  let newest = { config, problems: options.problems };
  /** One after the other, so that an older version never comes after a newer one. */
  function inTurn(): Promise<void> {
    running = running
      .then(() => adopt(newest.config, newest.problems))
      .then((isWhole) => {
        failure = undefined;
        return isWhole;
      })
      .catch(failed)
      .then(secondLook.after);
    return running;
  }
  /** Told once, as long as it stays the same. */
  let failure: string | undefined;
  function failed(error: unknown): boolean {
    const text = errorText(error);
    if (text !== failure) onProblem(text);
    failure = text;
    return false;
  }
  let stale: string | undefined;
  function read(loaded: LoadedConfig): void {
    const { config: next, problems, warnings } = loaded;
    for (const problem of [...problems, ...warnings]) onProblem(formatProblem(problem));
    // To drop a guard because of a slip of the pen would open what it guards.
    const wasStale = stale !== undefined;
    const [fault] = problems.filter(({ key }) => isOfPolicy(key));
    unreadable = undefined;
    edit = fault === undefined ? [] : problems;
    stale = fault === undefined ? undefined : `The rules and hooks stay as they were, because of ${formatProblem(fault)}`;
    if (stale !== undefined) onProblem(`${path}: because of that, the rules and hooks stay as they were.`);
    else if (next !== undefined) {
      newest = { config: next, problems };
      void inTurn();
    }
    if (wasStale && stale === undefined) onProblem(`${path}: it is fixed, and in force as it is now.`);
    onConfig(loaded);
  }

  const file = watchConfig(path, {
    onChange: read,
    onFault(fault) {
      unreadable = faultOfFile(path, fault);
      stale = `${path}: ${fault} The rules and hooks stay as they were.`;
      onProblem(stale);
    },
  });
  acceptance?.onChanged(() => void inTurn());
  bundles?.onChanged(() => inTurn());
  const hooks = watchSignature({ signature: () => finder.signature(config), before, onChange: () => void inTurn() });
  return {
    async reload() {
      await file.check();
      await inTurn();
      await options.settled?.();
    },
    get stale() {
      return stale;
    },
    faults: () => [
      ...faultsOfConfig(inForce, edit),
      ...(unreadable === undefined ? [] : [unreadable]),
      ...(acceptance?.faults() ?? []),
      ...(bundles?.faults() ?? []),
      ...board.list().flatMap(faultsOfHook),
    ],
    hooks: () => [...board.list().map(withStale), ...brokenEntries(inForce.problems)],
    rules: () => summariesOf(inForce, accepted, acceptance?.list().changes ?? []).map((row) => withMemory(row, accepted, ruleState)),
    guards: () => ({ rules: accepted, broken: config.broken, hooks: board.list() }),
    async close() {
      acceptance?.close();
      bundles?.close();
      file.close();
      hooks.close();
      secondLook.close();
      await running;
      bus.batch(() => {
        for (const { close } of [...rules, broken]) close();
      });
      await board.close();
    },
  };
}

/** What is on the bus, with why it is not what is on disk. */
function withStale({ hook, stale }: OpenedHook): InstalledHook {
  return stale === undefined ? hook : { ...hook, problems: [...hook.problems, `It stays as it was: ${stale}`] };
}

/** What a rule that is in force remembers. */
function withMemory(row: RuleSummary, accepted: readonly RuleConfig[], state: RuleState | undefined): RuleSummary {
  const rule = accepted.find(({ name }) => name === row.name);
  return rule === undefined || state === undefined || !hasState(rule)
    ? row
    : { ...row, remembers: rememberedBy(rule, stateOf(rule, state)) };
}

/** In the order of the file; rules that are in force although the file has lost them come too. */
function summariesOf(
  { config, problems }: ConfigInForce,
  accepted: readonly RuleConfig[],
  changes: readonly PolicyChange[],
): RuleSummary[] {
  const lost = accepted.filter(({ name }) => !config.rules.some((rule) => rule.name === name));
  const whole = [...config.rules, ...lost].map(({ name, enabled = true, mode, file, line }): RuleSummary & { line: number } => {
    const change = changes.find(({ id }) => id === `rule:${name}`);
    const shared = { name, enabled, path: `${file}:${line}`, line };
    if (change !== undefined) return { ...shared, state: "waiting", problems: [`${change.what} ${change.inForce}`] };
    return { ...shared, state: enabled ? (mode === "shadow" ? "shadow" : "active") : "disabled", problems: [] };
  });
  const broken = byEntry(problems.filter(({ key }) => /^rule\b/.test(key))).map((found): RuleSummary & { line: number } => {
    const [{ name, file, line }] = found;
    return {
      name: name ?? entryOf(found[0]),
      enabled: true,
      state: "broken",
      path: `${file}:${line}`,
      problems: found.map(formatProblem),
      line,
    };
  });
  return [...whole, ...broken].sort((a, b) => a.line - b.line).map(({ line: _, ...row }) => row);
}

/** Whose the rules of `hookline.toml` are on the bus. */
export const RULES = "rules";

/** What `swapRules` puts in the place of the rules behind the first that are kept. */
interface NextRules {
  readonly kept: number;
  readonly prepared: readonly { readonly name: string; readonly key: string; readonly compiled: PreparedRules }[];
}

interface Entry {
  readonly name: string;
  readonly key: string;
  readonly close: () => void;
}

/** The same rule on another line is the same rule. A rule that asks is another one if its questions are answered by other rules. */
function keysOf(accepted: readonly RuleConfig[]): readonly string[] {
  const answering = accepted.filter(({ answers }) => answers !== undefined);
  return accepted.map((rule) => {
    const asking = askingRule(rule, accepted);
    const linked = [...answeringRules(rule, answering), ...(asking === undefined ? [] : [asking])];
    return JSON.stringify([rule, ...linked].map(({ line: _, ...rest }) => rest));
  });
}
