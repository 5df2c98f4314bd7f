import { claudeCode } from "./claude-code/definition.js";
import { codex } from "./codex/definition.js";
import { copilot } from "./copilot/definition.js";
import { gemini } from "./gemini/definition.js";
import type { AgentDefinition } from "./shared/definition.js";

/** The agents that can be attached, in the order in which lists show them. */
export const agents: readonly AgentDefinition[] = [claudeCode, codex, gemini, copilot];

export function findAgent(id: string): AgentDefinition | undefined {
  return agents.find((agent) => agent.id === id);
}
