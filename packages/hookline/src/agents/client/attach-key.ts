import { createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openFolder, replacePrivately } from "@hookline/core/internal/machine";
import { type AttachKey, encodeKey, KEY_FILE, parseKey } from "./key-file.js";

const FOLDER = "attach";

/** The folder of attached agents' files: their clients, the key, backups. */
export function attachFolder(stateFolder: string): string {
  return openFolder(join(openFolder(stateFolder), FOLDER));
}

/** The key that attached agents and the hub share. It outlives the hub, so clients written earlier keep working. */
export function openAttachKey(stateFolder: string, socket: string): AttachKey {
  const known = readAttachKey(stateFolder);
  const key = known === undefined ? createAttachKey(socket) : { ...known, socket };
  if (known?.socket !== socket) writeAttachKey(stateFolder, key);
  return key;
}

/** The key, if there is one. Reads only. The hub decides its own address. */
export function readAttachKey(stateFolder: string): AttachKey | undefined {
  try {
    return parseKey(readFileSync(join(stateFolder, FOLDER, KEY_FILE), "utf8"));
  } catch {
    return undefined;
  }
}

/** Clients read the key at each call, so they use the new one at once. */
export function writeAttachKey(stateFolder: string, key: AttachKey): void {
  replacePrivately(attachFolder(stateFolder), KEY_FILE, encodeKey(key));
}

export function createAttachKey(socket?: string): AttachKey {
  return { token: secret(), seal: secret(), ...(socket !== undefined && { socket }) };
}

/**
 * The key in the settings of an agent that posts to the hub itself. It is valid for that agent alone, does not reveal the key it is
 * derived from, and is replaced together with it.
 */
export function httpKeyOf({ token, seal }: AttachKey, agent: string): string {
  return `hlk_${createHmac("sha256", seal).update(`hookline http ${agent} ${token}`).digest("base64url")}`;
}

/** By its first letters, redaction knows it in any text. */
function secret(): string {
  return `hlk_${randomBytes(32).toString("base64url")}`;
}
