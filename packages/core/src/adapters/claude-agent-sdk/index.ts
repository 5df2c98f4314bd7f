export type { AdapterOptions } from "../_session/adapter-session.js";
export { type ClaudeAgentGuard, guardClaudeAgent } from "./guard-claude-agent.js";
