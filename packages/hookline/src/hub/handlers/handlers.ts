import { readFileSync } from "node:fs";
import { HookError } from "@hookline/core";
import { addRules, replaceConfigFile } from "../../config/edit-config.js";
import { parseConfig } from "../../config/load-config.js";
import { setConfigEntry, switchInstalled } from "../../extensions/installed/switch-installed.js";
import { type Asked, eventIn, sampleOf, tryHandler } from "../../extensions/installed/try-handler.js";
import { tryHook } from "../../extensions/installed/try-hook.js";
import { findAnswerFaults } from "../../rules/answers.js";
import { registerRules } from "../../rules/register-rules.js";
import type { Rule } from "../../rules/rule.js";
import { withoutState } from "../../rules/state/state-condition.js";
import type { HandlerControls, HandlerName } from "../parts.js";
import type { Acceptance, Wanted } from "../policy/acceptance.js";
import { type Policies, RULES } from "../policy/policies.js";
import { ruleDigest } from "../policy/policy-differences.js";
import type { TrialAnswer } from "../protocol.js";

/** Where people switch what decides on and off, and try it. */
export function createHandlerControls(
  policies: Pick<Policies, "guards" | "rules" | "reload" | "stale">,
  acceptance?: Pick<Acceptance, "accept">,
): HandlerControls {
  function ruleOf({ name }: HandlerName) {
    const rule = policies.guards().rules.find((found) => found.name === name);
    if (rule === undefined) throw missing(`rule "${name ?? ""}"`);
    return rule;
  }
  function hookOf({ owner }: HandlerName) {
    const found = policies.guards().hooks.find(({ hook }) => hook.id === owner);
    if (found === undefined) throw missing(`hook "${owner}"`);
    return found;
  }

  async function tryRule(which: HandlerName, given: string | undefined): Promise<TrialAnswer> {
    const rule = { ...withoutState(ruleOf(which)), enabled: true };
    const { rules } = policies.guards();
    // Without its state, the questions of the rule could be answered, and they are not.
    const leftOut = findAnswerFaults(rules).map((fault) => fault.rule);
    const inForce = [rule, ...rules.filter((other) => other.name !== rule.name && !leftOut.includes(other))];
    return tryHandler(askedFor(given, rule.events[0]), (bus, onError) => registerRules(bus, [rule], { inForce, onError }));
  }

  async function tryOne(which: HandlerName, given: string | undefined, signal: AbortSignal): Promise<TrialAnswer> {
    const { hook, stale } = hookOf(which);
    const trial = await tryHook(hook, askedFor(given, hook.hooks[0]?.event), { signal });
    // The trial runs what is on disk, and the hub still runs what was there before.
    return stale === undefined ? trial : { ...trial, notes: [...(trial.notes ?? []), stale] };
  }

  /** The next list shows the change. The person who made it has accepted it. */
  async function takeUp(file: string, wanted: Wanted): Promise<string> {
    await policies.reload();
    acceptance?.accept([wanted]);
    await policies.reload();
    if (policies.stale !== undefined) throw new HookError("HL_CONFIG", `"${file}" was written, but not taken up. ${policies.stale}`);
    return file;
  }

  return {
    rules: policies.rules,
    rule: (name) => policies.guards().rules.find((rule) => rule.name === name),
    matchOf({ owner, name }, event) {
      const { rules, hooks } = policies.guards();
      if (owner === RULES) return rules.find((rule) => rule.name === name)?.match;
      const { hook } = hooks.find((opened) => opened.hook.id === owner) ?? {};
      return hook?.hooks.find((spec) => spec.event === event && (spec.name ?? hook.name) === name)?.match;
    },
    inForce: () => policies.guards().rules,
    async addAnswer({ name, answers, toml }) {
      await policies.reload();
      const { file } = ruleOf({ owner: RULES, name: answers });
      if (file === undefined) throw new HookError("HL_CONFIG", `The rule "${answers}" is not in a file.`);
      const rule = await appendRule(file, name, toml);
      return takeUp(file, { id: `rule:${name}`, digest: ruleDigest(name, rule) });
    },
    async turn(which, isEnabled) {
      // The lines are those of the file as it is now.
      await policies.reload();
      // The person switches what is in force. If the file has another change of it, both keep waiting.
      const set = { enabled: isEnabled };
      if (which.owner !== RULES) return takeUp(switchInstalled(hookOf(which).hook, isEnabled), { id: `hook:${which.owner}`, set });
      return takeUp(turnRule(ruleOf(which), isEnabled), { id: `rule:${which.name}`, set });
    },
    try: (which, event, signal) => (which.owner === RULES ? tryRule(which, event) : tryOne(which, event, signal)),
  };
}

/** Returns the rule as it is in the file now. */
async function appendRule(file: string, name: string, toml: string): Promise<Rule> {
  try {
    const { text, added } = await addRules(readFileSync(file, "utf8"), file, toml);
    if (!added.includes(name)) throw new Error(`there is a rule "${name}" already.`);
    const { config } = await parseConfig(text, file);
    const rule = config?.rules.find((one) => one.name === name);
    if (rule === undefined) throw new Error(`the rule "${name}" cannot be used.`);
    replaceConfigFile(file, text);
    return rule;
  } catch (cause) {
    throw new HookError("HL_CONFIG", `${file} was not changed: ${(cause as Error).message}`, { cause });
  }
}

function turnRule({ name, file, line }: Rule, isEnabled: boolean): string {
  if (file === undefined || line === undefined) throw new HookError("HL_CONFIG", `The rule "${name}" is not in a file.`);
  return setConfigEntry({ table: "rule", name, file, line }, { key: "enabled", value: isEnabled });
}

function askedFor(given: string | undefined, pattern = "tool:before"): Asked {
  return sampleOf(given ?? eventIn(pattern));
}

function missing(what: string): HookError {
  return new HookError("HL_NOT_FOUND", `There is no ${what} in the hub.`);
}
