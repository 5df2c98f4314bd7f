import { constants, type Stats } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { messageOf } from "../../bus/describe-error.js";
import { HookError } from "../../catalog/errors.js";
import { findPlaceFault, openRegular } from "../../machine/private-file.js";

export interface OpenFile {
  readonly fd: number;
  readonly stat: Stats;
}

/** `hookline/events.jsonl` in the user's state folder: `$XDG_STATE_HOME`, else `~/.local/state`; on Windows the local application data. */
export function defaultJsonlPath(): string {
  const { XDG_STATE_HOME: state = "", LOCALAPPDATA: local = "" } = process.env;
  if (isAbsolute(state)) return join(state, "hookline", "events.jsonl");
  if (process.platform === "win32" && isAbsolute(local)) return join(local, "hookline", "events.jsonl");
  return join(homedir(), ".local", "state", "hookline", "events.jsonl");
}

/** Opens a file to append to, made for its owner alone, in folders made for their owner alone. Throws `HL_SINK_PATH` or `HL_SINK_IO`. */
export function openToAppend(path: string): OpenFile {
  let opened: ReturnType<typeof openRegular>;
  try {
    opened = openRegular(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ELOOP") throw unsafe(path, "is a symbolic link");
    throw new HookError("HL_SINK_IO", `The file "${path}" cannot be opened: ${messageOf(cause)}.`, { cause });
  }
  if (opened === undefined) throw unsafe(path, "is not a regular file");
  return { fd: opened.fd, stat: opened.stats };
}

/** Refuses a folder in which others could put a file of their own under our name. */
export function checkPrivateFolder(path: string): void {
  const fault = findPlaceFault(path);
  if (fault !== undefined) throw unsafe(path, `is refused: ${fault}`);
}

function unsafe(path: string, why: string): HookError {
  return new HookError("HL_SINK_PATH", `The file "${path}" ${why}. Give the path of a regular file in a folder of your own.`);
}
