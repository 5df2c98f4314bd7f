import { HookError } from "@hookline/core";
import { readVersion } from "../lifecycle/version.js";
import type { FleetModule } from "./fleet-port.js";

const PACKAGE = "@hookline/fleet";

/** Loads the hub's part of `@hookline/fleet`. Throws `HL_FLEET_MISSING`, which says what to install. */
export function loadFleet(): Promise<FleetModule> {
  return importFleet<FleetModule>(PACKAGE);
}

/** Loads an entry of `@hookline/fleet`, which must be of the same version. */
export async function importFleet<Module extends { readonly version: string }>(entry: string): Promise<Module> {
  const version = readVersion();
  const module = await load<Module>(entry, version);
  if (module.version === version) return module;
  throw missing(`hookline is version ${version}, but ${PACKAGE} is version ${module.version}.`, version);
}

async function load<Module>(entry: string, version: string): Promise<Module> {
  try {
    // The name is not a constant: the package depends on this one, and a hub without a fleet has no such package.
    return (await import(entry)) as Module;
  } catch (cause) {
    if ((cause as { readonly code?: unknown } | null)?.code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw missing(`A fleet needs the package ${PACKAGE}, which is not installed.`, version, cause);
  }
}

function missing(message: string, version: string, cause?: unknown): HookError {
  return new HookError("HL_FLEET_MISSING", message, { fix: { run: `npm install -g ${PACKAGE}@${version}` }, cause });
}
