import { shellWord } from "../../config/shell-word.js";
import type { HandlersAnswer, StatusAnswer } from "../../hub/protocol.js";
import { countText } from "../format/amounts.js";
import { inert } from "../format/inert.js";

type Counts = { readonly [state: string]: number };

/** How the hub's rules and hooks stand, as `hookline status` tells it. */
export interface Guards {
  readonly hooks: StatusAnswer["hooks"];
  readonly rules: Counts;
  /** Projects whose rules were changed since consent. */
  readonly changedRules: readonly string[];
  /** Names of hooks that cannot be used. */
  readonly unusable: readonly string[];
}

export function guardsOf(hooks: StatusAnswer["hooks"], { handlers, hooks: summaries, rules }: HandlersAnswer): Guards {
  const active = new Set(handlers.filter(({ owner }) => owner === "rules").map(({ name }) => name)).size;
  const disabled = (rules ?? []).filter(({ enabled }) => !enabled).length;
  const bad = summaries.filter(({ state }) => state === "modified" || state === "rejected");
  const isChanged = ({ kind, state }: (typeof bad)[number]) => kind === "rules" && state === "modified";
  return {
    hooks,
    rules: { ...(active > 0 && { active }), ...(disabled > 0 && { disabled }) },
    changedRules: bad.filter(isChanged).flatMap(({ project }) => project ?? []),
    unusable: bad.filter((hook) => !isChanged(hook)).map(({ name }) => name),
  };
}

/** `3 active, 1 disabled`. */
export function countsText(counts: Counts): string {
  const states = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
  return states.length === 0 ? "none" : states.join(", ");
}

/** What somebody should look at, each with what to run. */
export function guardWarnings({ hooks, changedRules, unusable }: Guards): string[] {
  const untrusted = hooks.untrusted.map(({ project, hooks: names }) => ({
    project,
    names: names.filter((name) => name !== CHANGED_RULES),
  }));
  return [
    ...(unusable.length === 0
      ? []
      : [`${countText(unusable.length, "hook")} cannot be used: ${inert(unusable.join(", "))}. Run: hookline hooks doctor`]),
    ...hooks.stale.map(inert),
    ...changedRules.map(
      (project) =>
        `The rules of ${inert(project)} were changed; those you consented to stay in force. Run: ${trust(project, "hookline.toml")}`,
    ),
    ...untrusted
      .filter(({ names }) => names.length > 0)
      .map(({ project, names }) => `Hooks of ${inert(project)} do not run: ${inert(names.join(", "))}. Run: ${trust(project)}`),
  ];
}

/** Its rules go on, unlike hooks that were changed. */
const CHANGED_RULES = "hookline.toml (modified)";

function trust(project: string, ...names: readonly string[]): string {
  return ["hookline hooks trust", ...names, "--project", inert(shellWord(project))].join(" ");
}
