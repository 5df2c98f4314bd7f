import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Paths from the repository's root, with forward slashes, and what stands in the files. */
export type SourceTree = ReadonlyMap<string, string>;

export const repository = fileURLToPath(new URL("../../", import.meta.url));

/** The manifests and sources of all packages, without tests. */
export function readSourceTree(): SourceTree {
  const packages = readdirSync(join(repository, "packages")).map((name) => join(repository, "packages", name));
  const files = packages.flatMap((folder) => [join(folder, "package.json"), ...sourcesIn(join(folder, "src"))]);
  return new Map(files.filter((file) => existsSync(file)).map((file) => [pathOf(file), readFileSync(file, "utf8")]));
}

/** Every file below a folder; none where there is no folder. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function sourcesIn(folder: string): string[] {
  return filesIn(folder).filter((file) => /\.[cm]?tsx?$/.test(file) && !/\.(test|test-d)\.tsx?$/.test(file));
}

function pathOf(file: string): string {
  return relative(repository, file).split(sep).join("/");
}
