export { connectToHub } from "./connect-to-hub.js";
export type { ForwardDropReason, GateCounters, HubConnection, HubConnectionCounters, HubConnectionState } from "./hub-connection.js";
export type { ForwardOptions, ForwardSource, RemoteGateOptions } from "./options.js";
export { republish } from "./republish.js";
