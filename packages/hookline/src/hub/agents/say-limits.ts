import { ruleLimits } from "../../agents/attach/rule-limits.js";
import { type KnownTools, toolNote } from "../../agents/tool-note.js";
import type { Rule } from "../../rules/rule.js";

export interface LimitOptions {
  readonly tools: () => Promise<KnownTools>;
  readonly rules: () => readonly Rule[];
  readonly onProblem: (text: string) => void;
}

/** Says, once each, what attached agents cannot do of what the rules want, and which rules are for tools they do not have: to be called when rules were loaded. */
export function createLimitTeller({ tools, rules, onProblem }: LimitOptions): () => Promise<void> {
  const said = new Set<string>();
  return async () => {
    const known = await tools();
    const active = rules().filter(({ enabled }) => enabled !== false);
    const notes = active.flatMap((rule) => {
      const note = toolNote(rule, known);
      return note === undefined ? [] : [`rule "${rule.name}": ${note}`];
    });
    for (const text of [...ruleLimits(active, known.attached), ...notes]) if (!said.has(text) && said.add(text)) onProblem(text);
  };
}
