import type { AgentDialect } from "./agent.js";
import { claudeCode } from "./claude-code/dialect.js";
import { codex } from "./codex/dialect.js";
import { copilot } from "./copilot/dialect.js";
import { gemini } from "./gemini/dialect.js";

/** The agents that can be attached. */
export const dialects: readonly AgentDialect[] = [claudeCode, codex, gemini, copilot];
