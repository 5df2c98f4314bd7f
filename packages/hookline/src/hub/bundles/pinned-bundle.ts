import { rmSync } from "node:fs";
import { join } from "node:path";
import { openFolder, readPrivateJson, readPrivately, replacePrivately, writePrivateJson } from "@hookline/core/internal/machine";
import { z } from "zod";
import { BUNDLE_LIMITS } from "../../bundles/bundle.js";

const PIN_FILE = "policy-bundle.json";
const BUNDLE_FILE = "policy-bundle.b64";
/** Beside the store: shows that there was a bundle, and how new it was. */
const NOTED = "policy-bundle.noted";

/** Under which a host keeps the serials of its fleet. */
export const FLEET_LINE = "fleet";

const pin = z.object({
  /** Whose serials these are: the fleet's, or those of a channel and its keys. */
  line: z.string(),
  name: z.string(),
  channel: z.string(),
  serial: z.int(),
  digest: z.string(),
  signer: z.object({ name: z.string(), key: z.string(), fingerprint: z.string() }),
  /** Milliseconds since 1970. */
  notAfter: z.number(),
  activatedAt: z.number(),
  /** When its source last said that there is nothing newer. */
  confirmedAt: z.number(),
});

/** The bundle that was put into force last. */
export type Pin = z.output<typeof pin>;

const noted = z.object({ line: z.string(), serial: z.int(), digest: z.string() });

export interface Folders {
  readonly state: string;
  /** The folder of the store. */
  readonly data: string;
}

/** The lowest serial that may follow: the highest of what either folder remembers. */
export function readFloor(folders: Folders, line: string): z.output<typeof noted> | undefined {
  const known = [readPin(folders.state), noted.safeParse(readPrivateJson(folders.data, NOTED)).data];
  return known.filter((one) => one?.line === line).sort((a, b) => (b?.serial ?? 0) - (a?.serial ?? 0))[0];
}

export function readPin(state: string): Pin | undefined {
  return pin.safeParse(readPrivateJson(state, PIN_FILE)).data;
}

/** The bytes of the bundle in force, or why they cannot be read. */
export function readPinnedBytes(state: string): Buffer | string {
  const read = readPrivately(state, BUNDLE_FILE, { maxBytes: 2 * BUNDLE_LIMITS.totalBytes });
  if (read.state === "found") return Buffer.from(read.bytes.toString("latin1"), "base64");
  return read.state === "none" ? "it is gone" : read.reason;
}

/** The bundle first: a pin without its bundle would count as a lost policy. */
export function writePinned(folders: Folders, next: Pin, bytes: Buffer): void {
  replacePrivately(openFolder(folders.state), BUNDLE_FILE, bytes.toString("base64"));
  writePin(folders, next);
}

export function writePin({ state, data }: Folders, next: Pin): void {
  const { line, serial, digest } = next;
  writePrivateJson(data, NOTED, { line, serial, digest });
  writePrivateJson(state, PIN_FILE, next);
}

/** The bundle no longer counts, and a later one may have any serial. */
export function removePinned({ state, data }: Folders): void {
  for (const file of [BUNDLE_FILE, PIN_FILE]) rmSync(join(state, file), { force: true });
  rmSync(join(data, NOTED), { force: true });
}
