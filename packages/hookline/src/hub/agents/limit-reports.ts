import { hookLimits, ruleLimits } from "../../agents/attach/agent-limits.js";
import { attachedAgents } from "../../agents/attach/attached.js";
import { type KnownTools, toolNote } from "../../agents/tool-note.js";
import type { InstalledHook } from "../../extensions/installed/installed-hook.js";
import type { Rule } from "../../rules/rule.js";
import type { Store } from "../store/store.js";

export interface LimitOptions {
  readonly tools: () => Promise<KnownTools>;
  readonly rules: () => readonly Rule[];
  /** The rules and hooks that are in use. */
  readonly hooks: () => readonly Pick<InstalledHook, "name" | "hooks" | "rules" | "permissions">[];
  readonly onProblem: (text: string) => void;
}

/**
 * Reports, once each, what attached agents cannot do for rules and hooks, and which rules cover tools that they do not have. Call this
 * after rules and hooks were loaded.
 */
export function createLimitReports({ tools, rules, hooks, onProblem }: LimitOptions): () => Promise<void> {
  const said = new Set<string>();
  return async () => {
    const known = await tools();
    const active = rules().filter(({ enabled }) => enabled !== false);
    const brought = hooks().flatMap(({ rules: own = [] }) => own);
    const limits = [...ruleLimits([...active, ...brought], known.attached), ...hookLimits(hooks(), known.attached)];
    const notes = active.flatMap((rule) => {
      const note = toolNote(rule, known);
      return note === undefined ? [] : [`rule "${rule.name}": ${note}`];
    });
    for (const text of [...limits, ...notes]) if (!said.has(text) && said.add(text)) onProblem(text);
  };
}

/** The tools of the attached agents, and those that the hub has seen calls of. Rejects if the record of attached agents cannot be read. */
export async function readKnownTools(folder: string, store: Pick<Store, "tools">): Promise<KnownTools> {
  return { attached: attachedAgents(folder), seen: await store.tools() };
}
