import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { openFolder, readPrivately, replacePrivately } from "@hookline/core/internal/machine";
import type { Manifest } from "./backup-files.js";

/** In the state folder, and in no backup: a program that has it can make a backup that this hub takes for its own. */
const KEY = "backup.key";
const KEY_BYTES = 32;

/** The manifest with a seal of this hub. */
export function sealed(state: string, manifest: Manifest): Manifest {
  const key = readKey(state) ?? createKey(state);
  return { ...manifest, seal: sealOf(key, manifest) };
}

/** Whether this hub made the backup, and exactly this one. */
export function isSealedHere(state: string, manifest: Manifest): boolean {
  const key = readKey(state);
  if (key === undefined || manifest.seal === undefined) return false;
  const [given, right] = [manifest.seal, sealOf(key, manifest)].map((text) => Buffer.from(text)) as [Buffer, Buffer];
  return given.length === right.length && timingSafeEqual(given, right);
}

function sealOf(key: Buffer, { seal: _, v, at, version, schema, keys, files }: Manifest): string {
  const listed = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHmac("sha256", key)
    .update(JSON.stringify(["hookline backup", v, at, version, schema, keys, listed]))
    .digest("hex");
}

function readKey(state: string): Buffer | undefined {
  const read = readPrivately(state, KEY);
  const key = read.state === "found" ? Buffer.from(read.bytes.toString("utf8").trim(), "hex") : undefined;
  return key?.length === KEY_BYTES ? key : undefined;
}

function createKey(state: string): Buffer {
  const key = randomBytes(KEY_BYTES);
  replacePrivately(openFolder(state), KEY, `${key.toString("hex")}\n`);
  return key;
}
