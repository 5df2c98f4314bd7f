export { startHost } from "./host/start-host.js";
export { startFleetHub } from "./hub/start-fleet-hub.js";
export { connectServer } from "./nats/connect.js";
