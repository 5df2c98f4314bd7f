import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openFolder } from "../machine/state-folder.js";

/** Where a state folder keeps what no hub has taken yet. */
export function spoolFolder(state: string): string {
  return join(state, "spool");
}

/** Makes the spool for its owner alone if it is not there. Throws `HL_STATE_FOLDER`. */
export function openSpool(state: string): string {
  return openFolder(spoolFolder(openFolder(state)));
}

/** What lies in a spool, in bytes; what cannot be seen counts nothing. */
export function spoolBytes(spool: string): number {
  let bytes = 0;
  for (const name of readdirSync(spool)) bytes += statSync(join(spool, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}
