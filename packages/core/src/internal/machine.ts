// For Hookline's own packages, without promises. Light: a command that only looks for a hub loads neither bus nor sinks.

export { errorText, type Fix, fixText, HookError, withFix } from "../catalog/errors.js";
export { GATES_FILE, type GatesFile, type GatesState, readGatesFile, removeGatesFile, writeGatesFile } from "../forward/gates-file.js";
export { HUB_FILE, type HubState, readHubFile, removeHubFile, writeHubFile } from "../forward/hub-file.js";
export type { HubFile } from "../forward/parse-hub-file.js";
export { spoolFolder } from "../forward/spool-folder.js";
export { socketOf, thisKernel, UNKNOWN_KERNEL } from "../forward/spool-writer.js";
export {
  findRootFault,
  MANAGED_CLIENTS,
  MANAGED_CONFIG,
  MANAGED_FILE,
  type Managed,
  readManaged,
  rootFaultOf,
} from "../machine/managed.js";
export { isPassing } from "../machine/passing-error.js";
export {
  abandonedIn,
  followPrivateWrites,
  makePrivate,
  openPrivate,
  readPrivateJson,
  readPrivately,
  removePrivately,
  replaceFile,
  replacePrivately,
  type Untrusted,
  writePrivateJson,
} from "../machine/private-file.js";
export {
  existingFolder,
  findFolderFault,
  hubFolder,
  isOfHub,
  isOwn,
  openFolder,
  openWritableFolder,
  runtimeFolder,
  stateFolder,
  type TrustFault,
  unwritableFault,
} from "../machine/state-folder.js";
export { watchSignature } from "../machine/watch.js";
export { createNonce, isProof, prove } from "../wire/hub-protocol.js";
export { type Liveness, openLivenessSocket, probeLiveness } from "../wire/liveness-socket.js";
