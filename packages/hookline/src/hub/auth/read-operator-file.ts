import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
// The light entry: what loads the bus takes longer to load than all of `hookline status`.
import { findFolderFault, isOwn } from "@hookline/core/discover";

/** The token that may do everything, and the hub it belongs to. */
export interface OperatorFile {
  readonly instance: string;
  readonly token: string;
}
export type OperatorState =
  | { readonly state: "found"; readonly file: OperatorFile }
  | { readonly state: "none" }
  | { readonly state: "foreign" | "broken"; readonly reason: string };

export const OPERATOR_FILE = "operator.json";
const OTHERS = 0o077;
const MAX_BYTES = 65_536;
const TOKEN = /^[\w.~+/=-]{16,1026}$/;

/** Reads the file of a folder. Never throws, and no reason quotes what stood in it. */
export function readOperatorFile(folder: string): OperatorState {
  let fd: number | undefined;
  try {
    const path = join(folder, OPERATOR_FILE);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { state: "none" };
    const fault = findFolderFault(folder);
    if (fault !== undefined) return { state: "foreign", reason: `the folder "${folder}" is not to be trusted: ${fault}` };
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    return readFrom(fd);
  } catch (error) {
    return stateOfError(error as NodeJS.ErrnoException);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function readFrom(fd: number): OperatorState {
  const stats = fstatSync(fd);
  if (!stats.isFile()) return { state: "broken", reason: "it is not a regular file" };
  if (!isOwn(stats)) return { state: "foreign", reason: `it belongs to user ${stats.uid}` };
  if (process.platform !== "win32" && (stats.mode & OTHERS) !== 0) return { state: "foreign", reason: "other users can get at it" };
  if (stats.size > MAX_BYTES) return { state: "broken", reason: `it is larger than ${MAX_BYTES} bytes` };
  return parse(readFileSync(fd, "utf8"));
}

function parse(text: string): OperatorState {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, and the token with it.
    return { state: "broken", reason: "it is not JSON" };
  }
  const { instance, token } = (value ?? {}) as { readonly instance?: unknown; readonly token?: unknown };
  if (typeof instance !== "string" || typeof token !== "string" || !TOKEN.test(token))
    return { state: "broken", reason: "it is not what a hub writes" };
  return { state: "found", file: { instance, token } };
}

function stateOfError({ code }: NodeJS.ErrnoException): OperatorState {
  if (code === "ENOENT") return { state: "none" };
  if (code === "ELOOP") return { state: "foreign", reason: "it is a symbolic link" };
  return { state: code === "EACCES" || code === "EPERM" ? "foreign" : "broken", reason: `it cannot be read (${code ?? "unknown error"})` };
}
