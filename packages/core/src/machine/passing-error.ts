/** What a process may be short of for a moment. */
const PASSING: readonly unknown[] = ["EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EBUSY"];

/** It says nothing about the file that was to be read or the program that was to be started: a later attempt may succeed. */
export function isPassing(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (PASSING.includes((at as NodeJS.ErrnoException).code)) return true;
  return false;
}
