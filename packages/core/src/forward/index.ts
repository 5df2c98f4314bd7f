export { connectToHub } from "./connect-to-hub.js";
export type { GateCounters, HubLine, HubLineCounters, LineDropReason, LineState } from "./line.js";
export type { ForwardOptions, LineSource, RemoteGateOptions } from "./options.js";
export { republish } from "./republish.js";
