export type { AdapterOptions } from "../_session/adapter-session.js";
export { guardLangChain, type LangChainMiddleware, type LangChainOptions } from "./guard-langchain.js";
