// A light entry: whoever only looks for a hub, as a command line does at each start, loads neither bus nor sinks.

export { abandonedIn, readPrivately, removePrivately, replacePrivately } from "../machine/private-file.js";
export { findFolderFault, isOwn, openFolder, runtimeFolder, stateFolder } from "../machine/state-folder.js";
export { openLivenessSocket, probeLiveness } from "../wire/liveness-socket.js";
export { GATES_FILE, readGatesFile } from "./gates-file.js";
export { HUB_FILE, type HubState, readHubFile } from "./hub-file.js";
export { createNonce, isProof, prove } from "./line-protocol.js";
export type { HubFile } from "./parse-hub-file.js";
export { spoolFolder } from "./spool-folder.js";
export { socketOf } from "./spool-writer.js";
