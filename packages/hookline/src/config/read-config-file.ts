import type { Stats } from "node:fs";
import type { Fix } from "@hookline/core";
import { shellWord } from "@hookline/core/internal/text";
import { readRegularFile } from "../machine/regular-file.js";

const WORLD_WRITE = 0o002;

interface FileFault {
  readonly fault: string;
  readonly fix?: Fix;
}

/** The file's text, or why it cannot be used. Undefined if there is no file. */
export function readConfigFile(path: string): { readonly text: string } | FileFault | undefined {
  const file = readRegularFile(path);
  if (file === undefined) return undefined;
  return "fault" in file ? { fault: file.fault } : (faultOf(path, file.stats) ?? decoded(file.bytes));
}

function decoded(bytes: Buffer): { readonly text: string } | FileFault {
  try {
    // Fatal, because a replaced character could change a path or name. A byte order mark is removed.
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { fault: "The file is not UTF-8.", fix: "Save it as UTF-8." };
  }
}

/** The content of the file runs with this user's rights, so no other user may write it. */
function faultOf(path: string, stat: Stats): FileFault | undefined {
  const uid = process.geteuid?.();
  if (uid === undefined) return undefined;
  if ((stat.mode & WORLD_WRITE) !== 0)
    return { fault: "Every user may write to this file, and Hookline runs what it names.", fix: { run: `chmod o-w ${shellWord(path)}` } };
  if (uid !== 0 && stat.uid !== uid && stat.uid !== 0)
    return { fault: `The file belongs to user ${stat.uid}, and what it names would run as you.`, fix: "Use a file of your own." };
  return undefined;
}
