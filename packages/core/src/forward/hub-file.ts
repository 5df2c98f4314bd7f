import { join } from "node:path";
import { messageOf } from "../bus/describe-error.js";
import { HookError } from "../catalog/errors.js";
import { readPrivately, removePrivately, replacePrivately, type Untrusted } from "../machine/private-file.js";
import { openFolder } from "../machine/state-folder.js";
import { checkHubFile, type HubFile, parseHubFile } from "./parse-hub-file.js";

export const HUB_FILE = "hub.json";

/**
 * What the folder says of a hub. `found`: there is a file to follow; only the handshake shows whether its hub runs. `foreign`: others can
 * read or change it. `broken`: it cannot be understood.
 */
export type HubState = { readonly state: "found"; readonly file: HubFile } | { readonly state: "none" } | Untrusted;

/** Puts the discovery file into the folder, whole or not at all, and never readable by others. Throws `HL_STATE_FOLDER` or `HL_HUB_FILE`. */
export function writeHubFile(folder: string, file: HubFile): void {
  const checked = checkHubFile(file);
  if ("reason" in checked) throw new HookError("HL_HUB_FILE", `The hub's "${HUB_FILE}" was not written: ${checked.reason}.`);
  const full = openFolder(folder);
  try {
    replacePrivately(full, HUB_FILE, `${JSON.stringify(checked.file)}\n`);
  } catch (cause) {
    throw new HookError("HL_HUB_FILE", `"${join(full, HUB_FILE)}" cannot be written: ${messageOf(cause)}.`, { cause });
  }
}

/** Reads the discovery file of a folder. Never throws, and no reason quotes what stood in it. */
export function readHubFile(folder: string): HubState {
  return load(folder, HUB_FILE);
}

/** Removes the discovery file if this instance wrote it, and says whether it did. Never throws: it is called on the way out. */
export function removeHubFile(folder: string, instance: string): boolean {
  return removePrivately(folder, HUB_FILE, (name) => {
    const found = load(folder, name);
    return found.state === "found" && found.file.instance === instance;
  });
}

function load(folder: string, name: string): HubState {
  const read = readPrivately(folder, name);
  if (read.state !== "found") return read;
  const parsed = parseHubFile(read.bytes);
  return "file" in parsed ? { state: "found", file: parsed.file } : { state: "broken", reason: parsed.reason };
}
