import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openFolder, replacePrivately } from "@hookline/core/discover";
import { type AttachKey, encodeKey, KEY_FILE, parseKey } from "./key-file.js";

const FOLDER = "attach";

/** Where what belongs to attached agents is kept: their clients, the key, backups. */
export function attachFolder(stateFolder: string): string {
  return openFolder(join(openFolder(stateFolder), FOLDER));
}

/** The key that attached agents and the hub share. It outlives the hub: what was written into an agent's settings goes on being good. */
export function openAttachKey(stateFolder: string, socket: string): AttachKey {
  const folder = attachFolder(stateFolder);
  const known = readAttachKey(stateFolder);
  const key = { token: known?.token ?? secret(), seal: known?.seal ?? secret(), socket };
  if (known?.socket !== socket) replacePrivately(folder, KEY_FILE, encodeKey(key));
  return key;
}

/** The key, if there is one; changes nothing. Where the hub listens is the hub's to say. */
export function readAttachKey(stateFolder: string): AttachKey | undefined {
  try {
    return parseKey(readFileSync(join(stateFolder, FOLDER, KEY_FILE), "utf8"));
  } catch {
    return undefined;
  }
}

function secret(): string {
  return randomBytes(32).toString("base64url");
}
