import { join } from "node:path";
import { HookError } from "@hookline/core";
import { openFolder, removePrivately, replacePrivately } from "@hookline/core/internal/machine";
import { OPERATOR_FILE, type OperatorFile, readOperatorFile } from "./read-operator-file.js";

/** Puts the file into the folder, whole or not at all, and never readable by others. Throws `HL_STATE_FOLDER` or `HL_OPERATOR_FILE`. */
export function writeOperatorFile(folder: string, { instance, token }: OperatorFile): void {
  const full = openFolder(folder);
  try {
    replacePrivately(full, OPERATOR_FILE, `${JSON.stringify({ instance, token })}\n`, { to: "operators" });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "unknown error";
    throw new HookError("HL_OPERATOR_FILE", `"${join(full, OPERATOR_FILE)}" cannot be written: ${why}.`, { cause });
  }
}

/** Removes the file if this instance wrote it, and says whether it did. Never throws: it is called on the way out. */
export function removeOperatorFile(folder: string, instance: string): boolean {
  return removePrivately(folder, OPERATOR_FILE, (name) => {
    const found = readOperatorFile(folder, name);
    return found.state === "found" && found.file.instance === instance;
  });
}
