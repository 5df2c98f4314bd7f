import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isAlive, openFolder } from "@hookline/core/discover";

export interface RunFolder {
  readonly path: string;
  remove(): void;
}

const FOLDER = "runs";

/** A folder for one run, for its owner alone. What runs that were killed have left behind goes. */
export function openRunFolder(attachFolder: string): RunFolder {
  const all = openFolder(join(attachFolder, FOLDER));
  for (const name of readdirSync(all)) if (!isAlive(Number.parseInt(name, 10))) rmSync(join(all, name), { recursive: true, force: true });
  const path = openFolder(join(all, `${process.pid}.${randomBytes(6).toString("hex")}`));
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  process.once("exit", remove);
  return {
    path,
    remove() {
      process.off("exit", remove);
      remove();
    },
  };
}
