import { HookError } from "@hookline/core";
import type { FleetModule } from "./fleet-port.js";

/** Not a constant for the compiler: the package depends on this one, and a hub without a fleet has no such package. */
const PACKAGE: string = "@hookline/fleet";

/** Loads `@hookline/fleet`. Throws `HL_FLEET_MISSING`, which says what to install. */
export async function loadFleet(): Promise<FleetModule> {
  try {
    return (await import(PACKAGE)) as FleetModule;
  } catch (cause) {
    if ((cause as { readonly code?: unknown } | null)?.code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new HookError("HL_FLEET_MISSING", `A fleet needs the package ${PACKAGE}, which is not installed.`, {
      fix: { run: `npm install -g ${PACKAGE}` },
      cause,
    });
  }
}
