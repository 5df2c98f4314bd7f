export { type CodewhaleEvent, decodeFrame } from "./decode.js";
export { encodeFrame } from "./encode.js";
export type { ApprovalLifecycle, CodewhaleFrame, GenericEventFrame, JobLifecycle, ToolLifecycle } from "./frames.js";
export { type CodewhaleLine, decodeLine, encodeLine } from "./line.js";
