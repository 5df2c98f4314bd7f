import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** A package of the registry that is not part of the repository's packages. */
export interface CachedPackage {
  readonly package: string;
  readonly version: string;
  /** Its folder in `node_modules`, where that is not its name. */
  readonly folder?: string;
}

/** Where packages of a kind are kept between runs: the user's cache, or a folder that an environment variable names. */
export function cacheFolder(kind: string, own: string | undefined): string {
  return own || join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "hookline", kind);
}

/** Installs the packages if one is missing. All of them, because npm removes what the folder's manifest does not name. */
export function installPackages(folder: string, packages: readonly CachedPackage[], flags: readonly string[] = []): void {
  if (packages.some((wanted) => versionIn(folder, wanted) !== wanted.version)) install(folder, packages, flags);
  for (const wanted of packages) {
    const version = versionIn(folder, wanted);
    if (version !== wanted.version)
      throw new Error(`${wanted.package} should be ${wanted.version} in ${folder}, not ${version ?? "missing"}.`);
  }
}

function versionIn(folder: string, { package: name, folder: alias = name }: CachedPackage): string | undefined {
  const path = join(folder, "node_modules", alias, "package.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version : undefined;
}

function install(folder: string, packages: readonly CachedPackage[], flags: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n');
  const specs = packages.map(
    ({ package: name, version, folder: alias }) => `${alias === undefined ? "" : `${alias}@npm:`}${name}@${version}`,
  );
  console.error(`Installing ${specs.join(", ")} into ${folder} …`);
  // Exact versions: npm on an older Node would quietly take an older release where the newest wants a newer Node.
  const npm = spawnSync("npm", ["install", "--save-exact", "--no-audit", "--no-fund", ...flags, ...specs], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
  });
  if (npm.status !== 0) throw new Error(`npm could not install ${specs.join(", ")} (exit code ${npm.status}).`);
}
