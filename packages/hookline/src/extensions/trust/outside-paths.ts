import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { isFolderPath, isWithin, resolveFolder } from "./folder-path.js";

/** The files that a command line names outside of its folder. */
export interface OutsidePaths {
  /** The paths of files that are not pinned, as they are written. */
  readonly unpinned: readonly string[];
  /** Programs and files of the system. */
  readonly outside: readonly string[];
}

interface Lookup {
  readonly project: string;
  /** Where a program without a path is looked up. */
  readonly searchPath?: string | undefined;
}

const BETWEEN = /[\s"'`=:;,|&<>()]+/;

/** Looks for paths in a command and its arguments. What a shell makes of a text cannot be known, so it is shown unchanged. */
export function findOutsidePaths([command = "", ...args]: readonly string[], { project, searchPath = "" }: Lookup): OutsidePaths {
  const isPath = /[\\/]/.test(command);
  const program = isPath ? command : (locate(command, searchPath) ?? "");
  const texts = isPath ? [command, ...args] : args;
  const paths = [...new Set(texts.flatMap((text) => [text, ...text.split(BETWEEN)]))].filter((path) => isAbsolute(inFull(path)));
  const isUnpinned = (text: string): boolean => leadsUp(text) || text.includes(project) || isOf(project, text);
  const unpinned = [program, ...texts, ...paths].filter(isUnpinned);
  const outside = paths.filter((path) => !BETWEEN.test(path) || existsSync(inFull(path)));
  return { unpinned: [...new Set(unpinned)], outside: [...(isPath ? [] : [`${command} (from the PATH)`]), ...outside] };
}

/** Seen from the copy, it is a file of another owner. */
function leadsUp(text: string): boolean {
  return text.split(BETWEEN).some((part) => part.split(/[\\/]/).includes(".."));
}

function isOf(project: string, path: string): boolean {
  const full = inFull(path);
  return isFolderPath(full) && isWithin(resolveFolder(full), project);
}

function inFull(path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}

function locate(command: string, searchPath: string): string | undefined {
  const folders = searchPath.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, command)).find((path) => existsSync(path));
}
