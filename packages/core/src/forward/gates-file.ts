import { join } from "node:path";
import { messageOf } from "../bus/describe-error.js";
import { HookError } from "../catalog/errors.js";
import { type PrivateRead, readPrivately, removePrivately, replacePrivately } from "../machine/private-file.js";
import { openFolder } from "../machine/state-folder.js";
import type { RemoteGate } from "../wire/hub-protocol.js";

export const GATES_FILE = "gates.json";
const MAX_BYTES = 1024 * 1024;
const MODES: readonly unknown[] = ["open", "closed", "abort"];

/** What a hub announces, kept beside `hub.json` for processes that start while the hub is frozen or after it was killed. */
export interface GatesFile {
  readonly instance: string;
  readonly gates: readonly RemoteGate[];
}

export type GatesState = { readonly state: "found"; readonly file: GatesFile } | Exclude<PrivateRead, { readonly state: "found" }>;

/** Puts the gates beside `hub.json`, whole or not at all. Throws `HL_STATE_FOLDER` or `HL_GATES_FILE`. */
export function writeGatesFile(folder: string, { instance, gates }: GatesFile): void {
  const full = openFolder(folder);
  try {
    replacePrivately(full, GATES_FILE, `${JSON.stringify({ v: 1, instance, gates })}\n`);
  } catch (cause) {
    throw new HookError("HL_GATES_FILE", `"${join(full, GATES_FILE)}" cannot be written: ${messageOf(cause)}.`, { cause });
  }
}

/** Reads the gates of a folder. One entry that cannot be understood makes the whole file broken: what it would have guarded is not known. */
export function readGatesFile(folder: string): GatesState {
  return load(folder, GATES_FILE);
}

/** Removes the file if this instance wrote it, and says whether it did. Never throws: it is called on the way out. */
export function removeGatesFile(folder: string, instance: string): boolean {
  return removePrivately(folder, GATES_FILE, (name) => {
    const found = load(folder, name);
    return found.state === "found" && found.file.instance === instance;
  });
}

function load(folder: string, name: string): GatesState {
  const read = readPrivately(folder, name, { maxBytes: MAX_BYTES });
  if (read.state !== "found") return read;
  const file = parse(read.bytes);
  return file === undefined ? { state: "broken", reason: "it is not what a hub writes" } : { state: "found", file };
}

function parse(bytes: Buffer): GatesFile | undefined {
  let value: { readonly v?: unknown; readonly instance?: unknown; readonly gates?: unknown };
  try {
    value = Object(JSON.parse(bytes.toString("utf8")));
  } catch {
    return undefined;
  }
  const { v, instance, gates } = value;
  if (v !== 1 || typeof instance !== "string" || !Array.isArray(gates) || !gates.every(isGate)) return undefined;
  return { instance, gates: gates.map(({ event, timeoutMs, onFailure }) => ({ event, timeoutMs, onFailure })) };
}

function isGate(value: unknown): value is RemoteGate {
  const { event, timeoutMs, onFailure } = Object(value) as { readonly [Field in keyof RemoteGate]?: unknown };
  return typeof event === "string" && typeof timeoutMs === "number" && timeoutMs > 0 && MODES.includes(onFailure);
}
