import { statSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The file that a thread of the hub runs. `scripts/bundle.ts` writes each of them once more as a single file, which loads three times as
 * fast as its modules. In a checkout, one that was compiled again since is not used.
 */
export function threadProgram(compiled: URL): URL {
  const bundled = new URL(`../../bundle/${basename(fileURLToPath(compiled))}`, compiled);
  const sources = ["../../node", "../../../../core/dist/node", "../../../../core/dist/pure"];
  const newest = Math.max(...sources.map((name) => writtenAt(new URL(`${name}.tsbuildinfo`, compiled))));
  return writtenAt(bundled) > newest ? bundled : compiled;
}

function writtenAt(file: URL): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
