import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { shellWord } from "@hookline/core/internal/text";

/** How this copy of Hookline is updated and removed. */
export interface Installation {
  /** The command that installs the newest version. */
  readonly update: string;
  /** What removes the program. */
  readonly remove: string;
}

/** In a clone, npm's commands would fetch a package of that name from the registry, which may be of another author. */
export function findInstallation(folder = realpathSync(fileURLToPath(new URL("../..", import.meta.url)))): Installation {
  if (/[\\/]node_modules[\\/]hookline$/.test(resolve(folder)))
    return { update: "npm install --global hookline@latest", remove: "npm uninstall --global hookline" };
  const clone = join(folder, "..", "..");
  return { update: `cd ${shellWord(clone)} && git pull && npm ci && npm run build`, remove: `delete the folder ${clone}` };
}
