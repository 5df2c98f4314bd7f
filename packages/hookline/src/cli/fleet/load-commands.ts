import { fleetPackage } from "../../hub/fleet/load-fleet.js";
import { importOptional } from "../../hub/lifecycle/optional-package.js";
import type { CommandModule } from "../command-module.js";
import { type FleetTools, fleetTools } from "./fleet-tools.js";

/** What `@hookline/fleet/commands` exports. */
export interface FleetCommandsModule {
  /** Of the package; equal to that of the command line. */
  readonly version: string;
  createCommands(tools: FleetTools): { readonly [name: string]: CommandModule };
}

/** A subcommand of `hookline fleet`. Throws `HL_FLEET_MISSING` without the package. */
export async function loadFleetCommand(name: string): Promise<{ readonly command: CommandModule }> {
  const { createCommands } = await importOptional<FleetCommandsModule>(fleetPackage, "@hookline/fleet/commands");
  const command = createCommands(fleetTools)[name];
  if (command === undefined) throw new Error(`@hookline/fleet has no command "${name}".`);
  return { command };
}
