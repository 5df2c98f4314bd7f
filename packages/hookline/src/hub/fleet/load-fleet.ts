import { importOptional, type OptionalPackage } from "../lifecycle/optional-package.js";
import type { FleetModule } from "./fleet-port.js";

/** The package of fleets. */
export const fleetPackage: OptionalPackage = { name: "@hookline/fleet", code: "HL_FLEET_MISSING", user: "A fleet" };

/** Loads the hub's part of `@hookline/fleet`. Throws `HL_FLEET_MISSING`, which says what to install. */
export function loadFleet(): Promise<FleetModule> {
  return importOptional<FleetModule>(fleetPackage, fleetPackage.name);
}
