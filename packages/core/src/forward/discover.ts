// A light entry: whoever only looks for a hub, as a command line does at each start, loads neither bus nor sinks.
export { HUB_FILE, type HubState, readHubFile } from "./hub-file.js";
export { isAlive } from "./is-alive.js";
export { createNonce, isProof, prove } from "./line-protocol.js";
export type { HubFile } from "./parse-hub-file.js";
export { replacePrivately } from "./private-file.js";
export { spoolFolder } from "./spool-folder.js";
export { findFolderFault, isOwn, openFolder, runtimeFolder, stateFolder } from "./state-folder.js";
