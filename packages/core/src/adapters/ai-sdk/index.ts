export type { AdapterOptions } from "../_session/adapter-session.js";
export { DeniedError } from "../_session/adapter-session.js";
export { type AiSdkGuard, type AiSdkOptions, guardAiSdk } from "./guard-ai-sdk.js";
