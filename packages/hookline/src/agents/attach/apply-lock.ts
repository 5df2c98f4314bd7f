import { unifiedDiff } from "../../config/unified-diff.js";
import { type AgentFile, readAgentFile, removeAgentFile, replaceAgentFile } from "../install/agent-file.js";
import type { AgentDefinition } from "../shared/definition.js";

/** A planned change of the setting that keeps an agent from working without its plugin. */
export interface LockPlan {
  readonly file: AgentFile;
  /** Missing if the file is removed. */
  readonly after?: string;
  /** Empty if nothing changes. */
  readonly diff: string;
}

/** Undefined for an agent that needs none. `path`: the plugin. Throws `HL_AGENT_FILE` for a file that must not be edited. */
export function planLock({ install: { lock } }: AgentDefinition, path: string, isLocked: boolean): LockPlan | undefined {
  if (lock === undefined) return undefined;
  const file = readAgentFile(lock.path(path));
  const { text } = file;
  const after = isLocked ? lock.locked(text) : text === undefined ? undefined : lock.unlocked(text);
  return { file, ...(after !== undefined && { after }), diff: text === after ? "" : unifiedDiff(file.path, text, after) };
}

export function applyLock(plan: LockPlan | undefined): void {
  if (plan === undefined || plan.diff === "") return;
  if (plan.after === undefined) removeAgentFile(plan.file, []);
  else replaceAgentFile(plan.file, plan.after);
}
