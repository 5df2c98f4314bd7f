export type { AdapterOptions } from "../_session/adapter-session.js";
export { DeniedError } from "../_session/adapter-session.js";
export { type GuardableTool, guardTools } from "./guard-tools.js";
