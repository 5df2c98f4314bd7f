import { spawnSync } from "node:child_process";
import type { AgentDriver } from "./drivers.ts";

/** The versions that were found, for the same program in its own network, where the registry cannot be asked. */
const FOUND = "HOOKLINE_NEWEST";
const ASK_MS = 60_000;

/** The agents in the newest version that the registry has, without those whose pinned version is the newest, or whose newest cannot be installed. */
export function newestOf(drivers: readonly AgentDriver[], install: (driver: AgentDriver) => unknown): readonly AgentDriver[] {
  const known = JSON.parse(process.env[FOUND] ?? "{}") as { [name: string]: string };
  for (const { package: name } of drivers) known[name] ??= askRegistry(name);
  process.env[FOUND] = JSON.stringify(known);
  return drivers.flatMap((driver) => {
    const newest = known[driver.package] ?? "";
    console.error(`${driver.title}: pinned ${driver.packageVersion}, newest ${newest || "not known"}`);
    if (newest === "" || newest === driver.packageVersion) return [];
    // A package that counts in another way does not say the version of its program.
    const version = driver.version === driver.packageVersion ? newest : `${driver.version} or later`;
    const found = { ...driver, version, packageVersion: newest };
    try {
      install(found);
      return [found];
    } catch (error) {
      console.error(`${driver.title} ${newest} is not tried: ${(error as Error).message}`);
      // Not again in the network without a registry.
      known[driver.package] = driver.packageVersion;
      process.env[FOUND] = JSON.stringify(known);
      return [];
    }
  });
}

function askRegistry(name: string): string {
  const { status, stdout } = spawnSync("npm", ["view", name, "version"], { encoding: "utf8", timeout: ASK_MS });
  return status === 0 ? stdout.trim() : "";
}
