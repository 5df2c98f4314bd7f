import { join } from "node:path";
import { HookError, readPrivately } from "@hookline/core/internal/machine";
import type { z } from "zod";

const MAX_FILE = 64 * 1024 * 1024;

/** The text of a private file. Throws `HL_FLEET_CREDENTIALS` if it is missing, or if other users can access it. */
export function readText(folder: string, name: string): string {
  const read = readPrivately(folder, name, { maxBytes: MAX_FILE });
  if (read.state === "found") return read.bytes.toString("utf8");
  const reason = read.state === "none" ? "it does not exist" : read.reason;
  throw new HookError("HL_FLEET_CREDENTIALS", `"${join(folder, name)}" cannot be used: ${reason}.`, {
    ...(read.state !== "none" && read.fix !== undefined && { fix: read.fix }),
  });
}

/** `undefined` for a file that does not exist. */
export function readJson(folder: string, name: string): unknown {
  if (readPrivately(folder, name, { maxBytes: MAX_FILE }).state === "none") return undefined;
  const text = readText(folder, name);
  try {
    return JSON.parse(text);
  } catch {
    throw new HookError("HL_FLEET_CREDENTIALS", `"${join(folder, name)}" is not JSON.`);
  }
}

export function parseStored<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new HookError("HL_FLEET_CREDENTIALS", `"${path}" is not what \`hookline fleet init\` wrote.`, { cause: read.error });
}
