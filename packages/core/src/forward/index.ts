export { findFolderFault, openFolder, runtimeFolder, stateFolder } from "../machine/state-folder.js";
export { type LineFault, LineReader, type LineReaderOptions } from "../wire/line-reader.js";
export { type Liveness, probeLiveness } from "../wire/liveness-socket.js";
export { connectToHub } from "./connect-to-hub.js";
export { GATES_FILE, type GatesFile, type GatesState, readGatesFile, removeGatesFile, writeGatesFile } from "./gates-file.js";
export { HUB_FILE, type HubState, readHubFile, removeHubFile, writeHubFile } from "./hub-file.js";
export type { HubSighting } from "./hub-sighting.js";
export type { GateCounters, HubLine, HubLineCounters, LineDropReason, LineState } from "./line.js";
export {
  type ByeReason,
  type ClientFrame,
  createNonce,
  ENVELOPE_START,
  type HubFrame,
  isProof,
  LINE_VERSION,
  type LineCounters,
  type LineEffects,
  type LineLate,
  type LineReply,
  type LineTransformed,
  type LineVerdict,
  MAX_LINE_BYTES,
  prove,
  type RemoteGate,
} from "./line-protocol.js";
export type { ForwardOptions, LineSource, RemoteGateOptions } from "./options.js";
export type { HubFile } from "./parse-hub-file.js";
export { everyGate, everyTransform } from "./remote-gates.js";
export { republish } from "./republish.js";
export { spoolFolder } from "./spool-folder.js";
export { socketOf, thisKernel, UNKNOWN_KERNEL } from "./spool-writer.js";
export { type HubWatch, watchHubFile } from "./watch-hub-file.js";
