import { messageOf } from "../../bus/describe-error.js";
import { HookError } from "../../catalog/errors.js";
import { findPlaceFault, openPrivate } from "../../machine/private-file.js";

/** Opens a file that only its owner can read; `O_CREAT` makes its folder too. Throws `HL_DEAD_LETTER`. */
export function openDeadLetters(path: string, flags: number): number {
  checkFolder(path);
  return attempt(path, "opened", () => openPrivate(path, flags));
}

/** Throws `HL_DEAD_LETTER` when the folder of a file is there and others could put files into it. */
export function checkFolder(path: string): void {
  const fault = attempt(path, "used", () => findPlaceFault(path));
  if (fault !== undefined)
    throw new HookError("HL_DEAD_LETTER", `The dead-letter file "${path}" is refused: ${fault}. Use a folder of your own.`);
}

/** Runs a file operation; what it throws becomes `HL_DEAD_LETTER`. */
export function attempt<T>(path: string, what: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof HookError) throw cause;
    throw new HookError("HL_DEAD_LETTER", `The dead-letter file "${path}" cannot be ${what}: ${messageOf(cause)}.`, { cause });
  }
}
