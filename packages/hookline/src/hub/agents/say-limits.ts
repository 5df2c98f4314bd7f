import { ruleLimits } from "../../agents/attach/rule-limits.js";
import { dialects } from "../../agents/dialects.js";
import { readInstalled } from "../../agents/install/installed.js";
import type { Rule } from "../../rules/rule.js";

export interface LimitOptions {
  /** `attach` in the state folder. */
  readonly folder: string;
  readonly rules: () => readonly Rule[];
  readonly onProblem: (text: string) => void;
}

/** Says, once each, what attached agents cannot do of what the rules want: to be called when rules were loaded. */
export function createLimitTeller({ folder, rules, onProblem }: LimitOptions): () => void {
  const said = new Set<string>();
  return () => {
    for (const text of ruleLimits(rules(), attachedDialects(folder))) if (!said.has(text) && said.add(text)) onProblem(text);
  };
}

function attachedDialects(folder: string) {
  try {
    const attached = new Set(readInstalled(folder).map(({ agent }) => agent));
    return dialects.filter(({ id }) => attached.has(id));
  } catch {
    return [];
  }
}
