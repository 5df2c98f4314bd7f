import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseSync } from "rolldown/utils";
import { repository } from "./source-tree.js";

/** A package as it would be published. */
export interface Manifest {
  readonly name: string;
  readonly exports: { readonly [entry: string]: string | { readonly types: string; readonly default: string } };
}

export function folderOf(name: string): string {
  return join(repository, "packages", name);
}

export function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(folderOf(name), "package.json"), "utf8")) as Manifest;
}

/** A file that `npm run build` makes; a clear word when it has not run. */
export function builtFile(name: string, path: string): string {
  const file = join(folderOf(name), path);
  if (!existsSync(file)) throw new Error(`${file} is missing: run "npm run build" first.`);
  return file;
}

/** An entry of a package that is code, and where it was built. */
export interface Entry {
  readonly entry: string;
  readonly code: string;
  readonly types: string;
}

/** The entries that a user may rely on. */
export function publicEntriesOf(name: string): Entry[] {
  return entriesOf(name).filter(({ entry }) => !/^\.\/internal(\/|$)/.test(entry));
}

export function entriesOf(name: string): Entry[] {
  return Object.entries(manifestOf(name).exports).flatMap(([entry, target]) =>
    typeof target === "string" ? [] : [{ entry, code: target.default, types: target.types }],
  );
}

export async function importBuilt(name: string, path: string): Promise<{ readonly [key: string]: unknown }> {
  return (await import(/* @vite-ignore */ pathToFileURL(builtFile(name, path)).href)) as { readonly [key: string]: unknown };
}

/** The names a declaration file exports, also those it passes on with a star. */
export function declaredNames(file: string): string[] {
  const { module } = parseSync(file, readFileSync(file, "utf8"));
  const names = module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ exportName, moduleRequest }) => {
      if (exportName.name !== null) return [exportName.name];
      if (moduleRequest === null) return [];
      return declaredNames(join(file, "..", moduleRequest.value.replace(/\.js$/, ".d.ts")));
    });
  return [...new Set(names)].sort();
}

/** Every `node` on the PATH that is not the one this repository brings along. */
export function installedNodes(): string[] {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "" && !folder.includes("node_modules"));
  return [...new Set(folders)].map((folder) => join(folder, "node")).filter((file) => existsSync(file));
}
