// For `@hookline/fleet`, without promises: types only, so that the package loads none of the hub's code a second time.

export type { FleetModule, FleetPart, FleetPort, FleetSettings } from "../hub/fleet/fleet-port.js";
