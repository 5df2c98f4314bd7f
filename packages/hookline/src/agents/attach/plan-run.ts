import { planClaudeRun } from "../claude-code/run.js";
import { planCodexRun } from "../codex/run.js";
import { planCopilotRun } from "../copilot/run.js";
import { planGeminiRun } from "../gemini/run.js";
import type { AgentId } from "../shared/definition.js";
import type { RunPlan, RunRequest } from "../shared/run-plan.js";

const plans: { readonly [agent in AgentId]: (request: RunRequest) => RunPlan } = {
  "claude-code": planClaudeRun,
  codex: planCodexRun,
  gemini: planGeminiRun,
  copilot: planCopilotRun,
};

/** Prepares one run of an agent with Hookline's hooks. */
export function planRun(agent: AgentId, request: RunRequest): RunPlan {
  return plans[agent](request);
}
