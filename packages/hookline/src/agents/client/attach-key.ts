import { createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openFolder, replacePrivately } from "@hookline/core/internal/machine";
import { type AttachKey, encodeKey, KEY_FILE, parseKey } from "./key-file.js";

const FOLDER = "attach";

/** Where what belongs to attached agents is kept: their clients, the key, backups. */
export function attachFolder(stateFolder: string): string {
  return openFolder(join(openFolder(stateFolder), FOLDER));
}

/** The key that attached agents and the hub share. It outlives the hub: clients that were written before go on being good. */
export function openAttachKey(stateFolder: string, socket: string): AttachKey {
  const known = readAttachKey(stateFolder);
  const key = known === undefined ? createAttachKey(socket) : { ...known, socket };
  if (known?.socket !== socket) writeAttachKey(stateFolder, key);
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

/** Clients read it at each call: from now on they use this one. */
export function writeAttachKey(stateFolder: string, key: AttachKey): void {
  replacePrivately(attachFolder(stateFolder), KEY_FILE, encodeKey(key));
}

export function createAttachKey(socket?: string): AttachKey {
  return { token: secret(), seal: secret(), ...(socket !== undefined && { socket }) };
}

/**
 * What an agent that posts by itself has in its settings. It is good for that agent alone, tells nothing of the key that it is made of, and
 * is replaced with it.
 */
export function httpKeyOf({ token, seal }: AttachKey, agent: string): string {
  return createHmac("sha256", seal).update(`hookline http ${agent} ${token}`).digest("base64url");
}

function secret(): string {
  return randomBytes(32).toString("base64url");
}
