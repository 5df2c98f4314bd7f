import { antigravity } from "./antigravity/definition.js";
import { claudeCode } from "./claude-code/definition.js";
import { cline } from "./cline/definition.js";
import { codex } from "./codex/definition.js";
import { copilot } from "./copilot/definition.js";
import { cursor } from "./cursor/definition.js";
import { gemini } from "./gemini/definition.js";
import { goose } from "./goose/definition.js";
import { hermes } from "./hermes/definition.js";
import { kimi } from "./kimi/definition.js";
import { kiro } from "./kiro/definition.js";
import { openCode } from "./opencode/definition.js";
import { pi } from "./pi/definition.js";
import { qwen } from "./qwen/definition.js";
import type { AgentDefinition } from "./shared/definition.js";
import type { AgentSessions } from "./shared/sessions.js";
import { windsurf } from "./windsurf/definition.js";

/** The agents that can be attached, in the order in which lists show them. */
export const agents: readonly AgentDefinition[] = [
  claudeCode,
  codex,
  gemini,
  copilot,
  openCode,
  pi,
  qwen,
  kimi,
  cline,
  goose,
  cursor,
  antigravity,
  hermes,
  windsurf,
  kiro,
];

export function findAgent(id: string): AgentDefinition | undefined {
  return agents.find((agent) => agent.id === id);
}

/** An agent whose sessions can be read. */
export type PastAgent = Pick<AgentDefinition, "id" | "title"> & { readonly sessions: AgentSessions };

/** The agents whose sessions can be read. */
export const pastAgents: readonly PastAgent[] = agents.flatMap(({ id, title, sessions }) =>
  sessions === undefined ? [] : [{ id, title, sessions }],
);
