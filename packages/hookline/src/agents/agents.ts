import { claudeCode } from "./claude-code/definition.js";
import { codex } from "./codex/definition.js";
import { copilot } from "./copilot/definition.js";
import { gemini } from "./gemini/definition.js";
import type { AgentDialect } from "./shared/definition.js";

/** The agents that can be attached. */
export const dialects: readonly AgentDialect[] = [claudeCode, codex, gemini, copilot];
