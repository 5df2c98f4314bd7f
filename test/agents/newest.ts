import { spawnSync } from "node:child_process";
import { compareVersions } from "../../packages/hookline/dist/agents/shared/contract.js";
import type { AgentDriver } from "./drivers.ts";

/** The versions that were found, for the same program in its own network, where the registry cannot be asked. */
const FOUND = "HOOKLINE_NEWEST";
const ASK_MS = 60_000;

interface Registry {
  readonly install: (driver: AgentDriver) => unknown;
  /** Its versions of a package, previews too. */
  readonly versionsOf?: (name: string) => readonly string[];
}

/**
 * The agents in the newest version that can be installed from the registry, without those whose pinned version it is. A registry may have many
 * versions without all that they need.
 */
export function newestOf(drivers: readonly AgentDriver[], { install, versionsOf = askRegistry }: Registry): readonly AgentDriver[] {
  const known = JSON.parse(process.env[FOUND] ?? "{}") as { [name: string]: string };
  const found = drivers.flatMap((driver) => {
    const { package: name, packageVersion: pinned } = driver;
    const newer = (known[name] === undefined ? newestFirst(versionsOf(name)) : [known[name]]).filter(
      (version) => compareVersions(version, pinned) > 0,
    );
    const newest = newer.find((version) => canInstall(at(driver, version), install));
    console.error(`${driver.title}: pinned ${pinned}, ${newest === undefined ? "none that is newer" : `newest ${newest}`}`);
    known[name] = newest ?? pinned;
    return newest === undefined ? [] : [at(driver, newest)];
  });
  process.env[FOUND] = JSON.stringify(known);
  return found;
}

function at(driver: AgentDriver, newest: string): AgentDriver {
  // A package that counts in another way does not say the version of its program.
  const version = driver.version === driver.packageVersion ? newest : `${driver.version} or later`;
  return { ...driver, version, packageVersion: newest };
}

function canInstall(driver: AgentDriver, install: (driver: AgentDriver) => unknown): boolean {
  try {
    install(driver);
    return true;
  } catch (error) {
    console.error(`${driver.title} ${driver.packageVersion} is not tried: ${(error as Error).message}`);
    return false;
  }
}

function askRegistry(name: string): readonly string[] {
  const { status, stdout } = spawnSync("npm", ["view", name, "versions", "--json"], { encoding: "utf8", timeout: ASK_MS });
  return status === 0 ? (JSON.parse(stdout) as string[]) : [];
}

/** Previews do not count. */
function newestFirst(versions: readonly string[]): readonly string[] {
  return versions.filter((version) => /^[\d.]+$/.test(version)).toSorted((a, b) => compareVersions(b, a));
}
