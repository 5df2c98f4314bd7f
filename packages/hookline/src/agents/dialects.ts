import type { AgentDialect } from "./agent.js";

/** The agents that can be attached. */
export const dialects: readonly AgentDialect[] = [];
