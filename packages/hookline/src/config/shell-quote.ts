import { HookError } from "@hookline/core";
import { quoted } from "./shell-word.js";

/** Text as one word of a script for a POSIX shell, whatever is in it. */
export function quote(text: string): string {
  if (text.includes("\0")) throw new HookError("HL_BAD_OPTION", `A shell script cannot hold a NUL: ${JSON.stringify(text)}.`);
  return quoted(text);
}
