export type { AdapterOptions } from "../_session/adapter-session.js";
export { guardOpenAiAgents, type OpenAiAgentsGuard } from "./guard-openai-agents.js";
