import { chmodSync, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { allSinks } from "@hookline/core/internal/sinks";
import { fleetPackage } from "../../hub/fleet/load-fleet.js";

/** A package that the hub needs: where it is, and where it goes below `node_modules`. */
export interface CopiedPackage {
  readonly from: string;
  readonly to: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files?: readonly string[];
  readonly dependencies?: { readonly [name: string]: string };
  readonly optionalDependencies?: { readonly [name: string]: string };
  readonly peerDependencies?: { readonly [name: string]: string };
}

/** They depend on this package, not the other way round. */
const besideHub = [fleetPackage.name, ...allSinks.flatMap((sink) => sink.package ?? [])];

/**
 * This package and all that it depends on, and the optional packages of the hub that are installed beside it. A second version of a package goes below the one
 * that needs it.
 */
export function packagesToCopy(start = ownFolder(), optional: readonly string[] = besideHub): readonly CopiedPackage[] {
  const placed = new Map<string, { readonly from: string; readonly version: string }>();
  const copied: CopiedPackage[] = [];
  const visit = (from: string, parents: readonly string[]): void => {
    const { name, version, dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = manifestOf(from);
    // Found by Node from the package that needs it: its own `node_modules`, then that of each parent.
    const known = [...parents.map((parent) => placed.get(`${parent}/node_modules/${name}`)), placed.get(name)].find(
      (found) => found !== undefined,
    );
    if (known?.version === version) return;
    const to = known === undefined ? name : `${parents[0]}/node_modules/${name}`;
    placed.set(to, { from, version });
    copied.push({ from, to });
    for (const dependency of Object.keys(dependencies)) visit(findDependency(from, dependency), [to, ...parents]);
    for (const dependency of Object.keys({ ...optionalDependencies, ...peerDependencies })) {
      const found = lookForDependency(from, dependency);
      if (found !== undefined) visit(found, [to, ...parents]);
    }
  };
  visit(start, []);
  for (const name of optional) {
    const found = lookForDependency(start, name);
    if (found !== undefined) visit(found, []);
  }
  return copied;
}

/** This file is `dist/cli/service/copy-package.js` of the package. */
function ownFolder(): string {
  return realpathSync(fileURLToPath(new URL("../../..", import.meta.url)));
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

function findDependency(from: string, name: string): string {
  const found = lookForDependency(from, name);
  if (found === undefined) throw new Error(`"${name}", which "${from}" needs, is not installed.`);
  return found;
}

function lookForDependency(from: string, name: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const found = join(at, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return realpathSync(found);
    if (dirname(at) === at) return undefined;
  }
}

/** An installed package is copied whole. Of one in a checkout, which `node_modules` only links to, what it publishes is copied. */
export function copyPackage(from: string, to: string): void {
  const { files = [] } = manifestOf(from);
  const isInstalled = from.split(sep).includes("node_modules");
  const published = ["package.json", "LICENSE", ...files.filter((name) => !name.startsWith("!")).map((name) => name.split("/")[0] ?? "")];
  for (const name of isInstalled ? readdirSync(from) : new Set(published))
    if (name !== "node_modules" && existsSync(join(from, name))) copyTree(join(from, name), join(to, name));
}

/** Only folders and files, each with the permissions that root's programs have. */
export function copyTree(from: string, to: string): void {
  const stats = lstatSync(from);
  if (stats.isDirectory()) {
    makeRootFolder(to);
    for (const name of readdirSync(from))
      if (name !== "node_modules" && !name.endsWith(".tsbuildinfo")) copyTree(join(from, name), join(to, name));
  } else if (stats.isFile()) {
    makeRootFolder(dirname(to));
    copyFileSync(from, to);
    chmodSync(to, (stats.mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

/** Makes missing folders so that everyone can read them. Existing ones stay as they are: the check at the end refuses what is wrong. */
export function makeRootFolder(path: string): void {
  if (existsSync(path)) return;
  makeRootFolder(dirname(path));
  mkdirSync(path);
  chmodSync(path, 0o755);
}
