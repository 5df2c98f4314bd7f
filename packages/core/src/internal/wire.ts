// For Hookline's own packages, without promises: what the two ends of a connection share.

export { EXTENSION_PROTOCOL_VERSION } from "../extension/options.js";
export { Prefilter } from "../forward/prefilter.js";
export { everyGate, everyTransform } from "../forward/remote-gates.js";
export { backoffDelay } from "../wire/backoff.js";
export { Correlator, type IgnoredAnswer } from "../wire/correlator.js";
export { encodeFrame, type FrameFault, FrameReader, type Framing, MAX_EVENT_FRAME_BYTES } from "../wire/frame-reader.js";
export { isWithin } from "../wire/frames.js";
export {
  type ApprovedFrame,
  type ByeReason,
  type ClientFrame,
  CONNECTION_VERSION,
  type EffectsFrame,
  ENVELOPE_START,
  type ForwarderCounters,
  type HubFrame,
  type HubVerdictFrame,
  type LateFrame,
  MAX_LINE_BYTES,
  type PrefilterData,
  type RemoteGate,
  type TransformedFrame,
} from "../wire/hub-protocol.js";
export { type LineFault, LineReader } from "../wire/line-reader.js";
export { lateFrame, readAnswer, transformedFrame, type UnreadFrame, verdictFrame } from "../wire/verdict.js";
