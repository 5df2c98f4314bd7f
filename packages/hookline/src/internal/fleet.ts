// For `@hookline/fleet`, without promises: types only, so that the package loads none of the hub's code a second time.

export type { FleetEvents, FleetModule, FleetPart, FleetPolicy, FleetPort, FleetSettings } from "../hub/fleet/fleet-port.js";
export type { Accepted, Arrival, Refusal } from "../hub/parts.js";
export type { FleetHost } from "../hub/protocol.js";
export type { StoredEvent } from "../hub/store/store.js";
export type { Signer as PolicySigner } from "../rules/pack/signature.js";
