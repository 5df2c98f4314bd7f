import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openFolder, openLivenessSocket, probeLiveness } from "@hookline/core/internal/machine";

export interface RunFolder {
  readonly path: string;
  remove(): void;
}

const FOLDER = "runs";
const SOCKET = "alive.sock";

/** A private folder for one run. Removes folders that killed runs left behind. */
export async function openRunFolder(attachFolder: string): Promise<RunFolder> {
  const all = openFolder(join(attachFolder, FOLDER));
  await removeDead(all);
  const path = openFolder(join(all, randomBytes(6).toString("hex")));
  const alive = listen(path);
  const remove = (): void => {
    alive?.close();
    rmSync(path, { recursive: true, force: true });
  };
  process.once("exit", remove);
  return {
    path,
    remove() {
      process.off("exit", remove);
      remove();
    },
  };
}

/** The settings of a live run must stay, even if that run is in another container and its process is not visible here. */
async function removeDead(all: string): Promise<void> {
  for (const name of readdirSync(all)) {
    const folder = join(all, name);
    if ((await probeLiveness(folder, SOCKET)) === "dead") rmSync(folder, { recursive: true, force: true });
  }
}

/** Without a socket the folder stays after a kill, which is harmless. */
function listen(path: string): { close(): void } | undefined {
  try {
    return openLivenessSocket(path, SOCKET);
  } catch {
    return undefined;
  }
}
