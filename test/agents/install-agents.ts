import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentDriver } from "./drivers.ts";

/** Makes sure that the pinned versions are there, and gives the folder of their programs. They are no part of the repository's packages. */
export function installAgents(wanted: readonly AgentDriver[]): string {
  const folder = cacheFolder();
  const missing = wanted.filter((driver) => versionIn(folder, driver) !== driver.version);
  if (missing.length > 0) install(folder, missing);
  for (const driver of wanted) {
    const version = versionIn(folder, driver);
    if (version !== driver.version)
      throw new Error(`${driver.package} should be ${driver.version} in ${folder}, not ${version ?? "missing"}.`);
  }
  return join(folder, "node_modules", ".bin");
}

function cacheFolder(): string {
  const { HOOKLINE_AGENTS_CACHE: own, XDG_CACHE_HOME: cache } = process.env;
  return own || join(cache || join(homedir(), ".cache"), "hookline", "agents");
}

function versionIn(folder: string, driver: AgentDriver): string | undefined {
  const path = join(folder, "node_modules", driver.package, "package.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version : undefined;
}

function install(folder: string, drivers: readonly AgentDriver[]): void {
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n');
  const packages = drivers.map((driver) => `${driver.package}@${driver.version}`);
  console.error(`Installing ${packages.join(", ")} into ${folder} …`);
  // Exact versions: npm on an older Node would quietly take an older release where the newest wants a newer Node.
  const npm = spawnSync("npm", ["install", "--save-exact", "--no-audit", "--no-fund", ...packages], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
  });
  if (npm.status !== 0) throw new Error(`npm could not install the agents (exit code ${npm.status}).`);
}
