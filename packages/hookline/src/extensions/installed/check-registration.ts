import { createBus } from "@hookline/core";
import type { BrokenGuard } from "../../config/config.js";
import { findPathProblems } from "../../rules/path-faults.js";
import { ruleRegex } from "../../rules/regex/rule-regex.js";
import { guardsOf } from "../guards-of.js";
import type { HandlerSource, HookSpec } from "../handler-source.js";
import { matchEventsOf, registerSource } from "../register-source.js";

export interface Registrable {
  readonly hooks: readonly HookSpec[];
  readonly problems: readonly string[];
  readonly broken: readonly BrokenGuard[];
}

/** Paths in a match that cannot be checked. */
function findUnsure(hooks: readonly HookSpec[], file: string): string[] {
  const texts = hooks.flatMap((hook) =>
    findPathProblems({ events: matchEventsOf(hooks, hook), match: hook.match, tool: hook.tool })
      .filter(({ severity }) => severity === "warning")
      .map(({ key, message }) => `${file}: warning: "${key.join(".")}": ${message}`),
  );
  return [...new Set(texts)];
}

/** Checks which hooks of a source a bus accepts, on a temporary bus: a missing permission is found before it is needed. */
export function checkRegistration(source: HandlerSource, permissions: readonly string[], file: string): Registrable {
  const bus = createBus({ source: "check", enabled: true, regex: ruleRegex, onError: () => {} });
  const refused = new Map<HookSpec, string>();
  const offs = registerSource(bus, source, { permissions, onError: (error, hook) => void refused.set(hook, error.message) });
  for (const off of offs) off();
  return {
    hooks: source.hooks.filter((hook) => !refused.has(hook)),
    problems: [...refused.values(), ...findUnsure(source.hooks, file)],
    broken: guardsOf({ name: source.name, hooks: [...refused.keys()] }, file),
  };
}
