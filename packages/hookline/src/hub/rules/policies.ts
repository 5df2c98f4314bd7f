import { type Bus, block, findEvent, type HookError, type HookEvent } from "@hookline/core";
import type { BrokenGuard, Config, LoadedConfig, RuleConfig } from "../../config/config.js";
import { type ConfigProblem, formatProblem } from "../../config/problem.js";
import { type ConfigWatch, watchConfig } from "../../config/watch-config.js";
import { registerRules } from "../../rules/register-rules.js";
import type { RuleNotice } from "../../rules/rule-handler.js";
import { loadHandlers } from "../handlers/load-handlers.js";

export interface PolicyOptions {
  readonly bus: Bus;
  readonly config: Config;
  /** Where the file stands, or will. */
  readonly path: string;
  readonly onError: (error: HookError) => void;
  readonly onProblem: (text: string) => void;
  readonly onNotify: (notice: RuleNotice) => void;
  /** The guards are others now. */
  readonly onChange: () => void;
}

export interface Policies {
  /** Reads the file again now. */
  reload(): Promise<void>;
  close(): void;
}

/** Keeps the rules and hooks of `hookline.toml` on the hub's bus, as the file says now. A version that is wrong changes nothing. */
export function openPolicies({ bus, config, path, onError, onProblem, onNotify, onChange }: PolicyOptions): Policies {
  let rules: readonly Entry[] = config.rules.map(openRule);
  let hooks = openHooks(config);
  let broken: readonly (() => void)[] = config.broken.flatMap((guard) => standIn(bus, guard));

  function openRule(rule: RuleConfig): Entry {
    return { key: keyOf(rule), close: registerRules(bus, [rule], { onError, onNotify }).close };
  }
  function openHooks({ hooks: wanted }: Config): Entry {
    return { key: JSON.stringify(wanted), close: loadHandlers(bus, wanted, onError).close };
  }
  /** In one go: no event is decided between the old version and the new. The rules before the first that is another keep their counters. */
  function adopt(next: Config): void {
    const same = next.rules.findIndex((rule, index) => rules[index]?.key !== keyOf(rule));
    const kept = same < 0 ? next.rules.length : same;
    const isSame = kept === rules.length && kept === next.rules.length && hooks.key === JSON.stringify(next.hooks);
    if (isSame && broken.length === 0) return;
    for (const off of broken) off();
    broken = [];
    for (const { close } of [...rules.slice(kept), hooks]) close();
    rules = [...rules.slice(0, kept), ...next.rules.slice(kept).map(openRule)];
    // After all rules, as when the hub starts: of equal priority, who is registered first runs first.
    hooks = openHooks(next);
    onChange();
  }
  function read({ config: next, problems }: LoadedConfig): void {
    for (const problem of problems) onProblem(formatProblem(problem));
    const isKept = next === undefined || problems.some(isOfPolicy);
    if (isKept) onProblem(`${path}: because of that, the rules and hooks stay as they were.`);
    else adopt(next);
  }

  const watch: ConfigWatch = watchConfig(path, {
    onChange: read,
    onFault: (fault) => onProblem(`${path}: ${fault} The rules and hooks stay as they were.`),
  });
  return {
    reload: () => watch.check(),
    close() {
      watch.close();
      for (const { close } of [...rules, hooks]) close();
      for (const off of broken) off();
    },
  };
}

/** A guard that cannot be read guards all the same: what it would have looked at is denied until it is mended. */
function standIn(bus: Bus, { name, events, tool, file, line }: BrokenGuard): (() => void)[] {
  const reason = `The guard "${name}" is wrong (${file}:${line}), so what it guards is denied. Mend it: the hub reads the file again.`;
  const options = { name: `${name} (broken)`, path: file, onFailure: "closed", ...(tool !== undefined && { tool }) } as const;
  const answer = (event: HookEvent): unknown => (findEvent(event.name)?.spec.kind === "gate" ? block(reason) : undefined);
  return events.map((event) => bus.on(event, answer as never, options));
}

interface Entry {
  readonly key: string;
  readonly close: () => void;
}

/** The same rule on another line is the same rule. */
function keyOf({ line: _, ...rule }: RuleConfig): string {
  return JSON.stringify(rule);
}

// To drop a guard because of a slip of the pen would open what it guards.
function isOfPolicy({ key }: ConfigProblem): boolean {
  return /^(rule|hook)\b/.test(key) || key === "";
}
