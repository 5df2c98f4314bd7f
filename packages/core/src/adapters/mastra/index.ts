export type { AdapterOptions } from "../_session/adapter-session.js";
export { guardMastra, type MastraGuard } from "./guard-mastra.js";
