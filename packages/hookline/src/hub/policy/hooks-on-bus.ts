import { type Bus, errorText, type HookError } from "@hookline/core";
import { isPassing } from "@hookline/core/internal/machine";
import type { OwnedSource } from "../../extensions/handler-source.js";
import type { InstalledHook } from "../../extensions/installed/installed-hook.js";
import { registerSource } from "../../extensions/register-source.js";
import type { RuleNotice } from "../../rules/actions.js";
import { type RuleShadow, registerRules } from "../../rules/register-rules.js";
import type { RuleState } from "../../rules/state/rule-state.js";
import type { CarriedCounts } from "../handlers/carried-counts.js";
import { lookAtHook } from "./faults.js";
import type { OpenedHook } from "./guard-set.js";
import type { ProjectScopes } from "./project-scopes.js";
import { createReplaceable, type Replaceable } from "./replaceable.js";
import { standIn } from "./stand-in.js";

export interface HooksOnBusOptions {
  readonly bus: Bus;
  /** Asked during a pause, which does not concern the fleet's guards. */
  readonly pausedBus?: Bus;
  readonly scopes: ProjectScopes;
  /** What rules remember. */
  readonly ruleState?: RuleState;
  readonly counts: CarriedCounts;
  readonly onError: (error: HookError) => void;
  readonly onProblem: (text: string) => void;
  readonly onNotify: (notice: RuleNotice) => void;
  readonly onShadow?: (shadow: RuleShadow) => void;
}

/** The hooks that are on the hub's bus. */
export interface HooksOnBus {
  /**
   * Makes ready what is new. Resolves with what puts it on the bus, in one go and in order; says whether anything is different. A hook that
   * was there before and does not come up in its new version stays as it was.
   */
  prepare(hooks: readonly InstalledHook[]): Promise<(renewAll: boolean) => boolean>;
  /** Nothing stays as it was for a reason that passes. */
  readonly isWhole: boolean;
  /** What is on the bus now. */
  list(): readonly OpenedHook[];
  close(): Promise<void>;
}

interface Opened extends OpenedHook {
  readonly source: OwnedSource | undefined;
  /** What stands on the bus for the source. */
  readonly front: Replaceable | undefined;
  off: () => void;
}

/** Why a hook stays as it was. */
interface Kept {
  readonly why: string;
  /** It would come up later. */
  readonly passes: boolean;
}

export function createHooksOnBus(options: HooksOnBusOptions): HooksOnBus {
  const { onProblem, counts } = options;
  let opened: readonly Opened[] = [];
  const retiring = new Set<Opened>();
  /** Why a hook is not as it stands on disk. */
  const kept = new Map<string, Kept>();

  /** What it was asked before is answered first. */
  async function retire(entry: Opened): Promise<void> {
    retiring.add(entry);
    await entry.front?.retire(opened.find(({ hook }) => hook.id === entry.hook.id)?.front);
    await close(entry);
    retiring.delete(entry);
  }

  async function ready(hook: InstalledHook): Promise<Opened> {
    const old = opened.find(({ hook: { id } }) => id === hook.id);
    const before = kept.get(hook.id);
    kept.delete(hook.id);
    if (old !== undefined && old.hook.version === hook.version) return old;
    if (old !== undefined && isWorse(hook, old)) return keep(old, { why: hook.problems.join(" "), passes: false }, before);
    const entry = open(hook, onProblem);
    if (old === undefined || !isInUse(old) || hook.state !== "active") return entry;
    try {
      await entry.source?.start?.();
      return entry;
    } catch (error) {
      // One that never worked is not worth keeping: at least the new one fails for a reason that is true.
      if (old.source?.health().state === "failed") return entry;
      void retire(entry);
      return keep(old, { why: errorText(error), passes: isPassing(error) }, before);
    }
  }

  /** Told once, as long as the reason stays the same. */
  function keep(old: Opened, now: Kept, before: Kept | undefined): Opened {
    const { why } = now;
    kept.set(old.hook.id, now);
    if (why !== before?.why) onProblem(`The hook "${old.hook.name}" stays as it was: ${why}`);
    return old;
  }

  function swap(next: readonly Opened[], renewAll: boolean): boolean {
    const different = next.findIndex((entry, index) => entry !== opened[index]);
    const isSame = different < 0 && next.length === opened.length;
    if (isSame && !renewAll) return false;
    // Those before the first that is another keep their counters.
    const same = renewAll ? 0 : different < 0 ? next.length : different;
    const renewed = new Set(opened.slice(same).map(({ hook }) => hook.id));
    counts.keep(({ owner }) => owner !== undefined && renewed.has(owner));
    for (const { off } of opened.slice(same)) off();
    for (const entry of next.slice(same)) entry.off = register(entry, options);
    const gone = opened.filter((entry) => !next.includes(entry));
    opened = next;
    for (const entry of gone) void retire(entry);
    for (const { source } of next) if (source?.startsEarly === true) source.start?.().catch(() => {});
    return true;
  }

  return {
    async prepare(hooks) {
      const next = await Promise.all(hooks.map(ready));
      for (const { hook } of next)
        if (!opened.some((entry) => entry.hook === hook)) for (const text of [...hook.problems, ...(hook.remarks ?? [])]) onProblem(text);
      return (renewAll) => swap(next, renewAll);
    },
    list: () => opened.map(({ hook, front }) => ({ hook, source: front?.source, ...staleness(kept.get(hook.id)?.why) })),
    get isWhole() {
      return [...kept.values()].every(({ passes }) => !passes);
    },
    async close() {
      const all = [...opened, ...retiring];
      for (const { off } of opened) off();
      opened = [];
      await Promise.all(all.map(close));
    },
  };
}

function staleness(stale: string | undefined): { readonly stale?: string } {
  return stale === undefined ? {} : { stale };
}

function open(hook: InstalledHook, onProblem: (text: string) => void): Opened {
  const source = hook.state === "disabled" ? undefined : hook.open?.(onProblem);
  return { hook, source, front: source && createReplaceable(source), off: () => {} };
}

async function close({ source }: Opened): Promise<void> {
  await source?.close().catch(() => {});
}

function isInUse({ hook, source }: Opened): boolean {
  return hook.state === "active" && (source !== undefined || hook.rules !== undefined);
}

/** Less of it can be used than before. To take it all the same would close what was open, or open what is closed. */
function isWorse(hook: InstalledHook, old: Opened): boolean {
  if (hook.state === "broken" && hook.broken.every(({ isAssumed = false }) => isAssumed))
    return old.source !== undefined || old.hook.broken.length > 0 || isInUse(old);
  const isBroken = hook.state === "broken" || (hook.state === "active" && hook.broken.length > 0);
  return isBroken && isInUse(old) && old.hook.broken.length === 0;
}

/** Gives how to take it off again. */
function register(entry: Opened, options: HooksOnBusOptions): () => void {
  const { bus, pausedBus } = options;
  const buses = entry.hook.from === "fleet" && pausedBus !== undefined ? [bus, pausedBus] : [bus];
  const offs = buses.map((one) => registerOn(one, entry, options));
  return () => {
    for (const off of offs) off();
  };
}

function registerOn(
  bus: Bus,
  { hook, front }: Opened,
  { scopes, ruleState, onError, onNotify, onShadow = () => {} }: HooksOnBusOptions,
): () => void {
  const scope = hook.isForEveryProject ? scopes.ofEvery() : hook.project === undefined ? undefined : scopes.of(hook.project);
  const within = scope === undefined ? {} : { scope };
  const offs = hook.broken.flatMap((guard) => standIn(bus, guard, { owner: hook.id, run: lookAtHook(hook), scope }));
  if (front !== undefined)
    offs.push(...registerSource(bus, front.source, { owner: hook.id, permissions: hook.permissions, onError, ...within }));
  const rules = registerRules(bus, hook.rules ?? [], {
    owner: hook.id,
    trust: hook.from === "fleet" ? "user" : "project",
    onError,
    onNotify,
    onShadow,
    ...within,
    ...(hook.around !== undefined && { around: hook.around }),
    ...(ruleState !== undefined && { state: ruleState }),
  });
  return () => {
    for (const off of offs) off();
    rules.close();
  };
}
