import { openFolder, readPrivately, replacePrivately } from "@hookline/core/internal/machine";

const MAX_BYTES = 4 * 1024 * 1024;

/** What a file of the state folder says; nothing if it is missing, not JSON, or others could have written it. Never throws. */
export function readPrivateJson(folder: string, name: string): unknown {
  const read = readPrivately(folder, name, { maxBytes: MAX_BYTES });
  if (read.state !== "found") return undefined;
  try {
    return JSON.parse(read.bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Whole or not at all, and never readable by others. */
export function writePrivateJson(folder: string, name: string, value: unknown): void {
  replacePrivately(openFolder(folder), name, `${JSON.stringify(value)}\n`);
}
