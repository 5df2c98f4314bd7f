export { keepCredential } from "./credentials/joined.js";
export { startHost } from "./host/start-host.js";
export { startFleetHub } from "./hub/start-fleet-hub.js";
export { version } from "./nats/package-version.js";
