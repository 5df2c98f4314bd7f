import { HookError } from "@hookline/core";

/** Text as one word of a POSIX shell, whatever is in it. */
export function quote(text: string): string {
  if (text.includes("\0")) throw new HookError("HL_BAD_OPTION", `A shell script cannot hold a NUL: ${JSON.stringify(text)}.`);
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The same for a command that a person is shown: plain where that will do. */
export function shellWord(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : quote(text);
}
