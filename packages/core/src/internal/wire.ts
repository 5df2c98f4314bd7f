// For Hookline's own packages, without promises: what the two ends of a connection share.

export { EXTENSION_PROTOCOL_VERSION } from "../extension/options.js";
export { everyGate, everyTransform } from "../forward/remote-gates.js";
export { backoffDelay } from "../wire/backoff.js";
export { Correlator, type IgnoredAnswer } from "../wire/correlator.js";
export { encodeFrame, type FrameFault, FrameReader, type Framing } from "../wire/frame-reader.js";
export {
  type ByeReason,
  type ClientFrame,
  ENVELOPE_START,
  type HubFrame,
  LINE_VERSION,
  type LineCounters,
  type LineEffects,
  type LineLate,
  type LineReply,
  type LineTransformed,
  type LineVerdict,
  MAX_LINE_BYTES,
  type RemoteGate,
} from "../wire/hub-protocol.js";
export { LineReader } from "../wire/line-reader.js";
export { lateFrame, readAnswer, transformedFrame, verdictFrame } from "../wire/verdict.js";
