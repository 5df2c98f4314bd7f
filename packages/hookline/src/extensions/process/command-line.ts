import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { HookError } from "@hookline/core";
import { shellWord } from "@hookline/core/internal/text";
import { extensionError } from "./failures.js";

/** The program to run, and its folder. */
export interface CommandLine {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: { readonly [name: string]: string };
}

const SCRIPT = /\.(?:[cm]?[jt]s|py|sh|rb|pl|lua|php)$/i;

/** The absolute path of the program. Throws a separate code for each cause that would otherwise be the same ENOENT. */
export function resolveCommand(line: CommandLine): string {
  if (!isFolder(line.folder))
    throw extensionError(line.name, "HL_EXTENSION_FOLDER", `cannot be started: its folder "${line.folder}" does not exist.`);
  const program = findProgram(line);
  const script = missingScript(line);
  if (script !== undefined)
    throw extensionError(line.name, "HL_EXTENSION_SCRIPT", `cannot be started: its script "${script}" does not exist.`);
  return program;
}

function findProgram(line: CommandLine): string {
  const { command, folder, env } = line;
  const isPath = isAbsolute(command) || /[/\\]/.test(command);
  const places = isPath ? [resolve(folder, command)] : searchPath(env).map((place) => join(place, command));
  const found = places.filter(isFile);
  const program = found.find(isExecutable);
  if (program !== undefined) return program;
  throw found[0] === undefined ? notFound(line, isPath) : notExecutable(line, found[0]);
}

function notFound({ name, command }: CommandLine, isPath: boolean): HookError {
  const where = isPath ? "does not exist" : "is not in the PATH";
  return extensionError(name, "HL_EXTENSION_COMMAND", `cannot be started: its command "${command}" ${where}.`);
}

function notExecutable({ name }: CommandLine, path: string): HookError {
  const what = `cannot be started: "${path}" may not be executed.`;
  return extensionError(name, "HL_EXTENSION_NOT_EXECUTABLE", what, undefined, { run: `chmod +x ${shellWord(path)}` });
}

/** The first argument that is not an option, if it names a script that does not exist. */
function missingScript({ args, folder }: CommandLine): string | undefined {
  const script = args.find((argument) => !argument.startsWith("-"));
  if (script === undefined || !(SCRIPT.test(script) || /^\.{0,2}\//.test(script))) return undefined;
  const path = resolve(folder, script);
  return isFile(path) ? undefined : path;
}

function searchPath({ PATH = "" }: { readonly [name: string]: string }): string[] {
  // An empty part means the working folder, and an extension must not bring its own `node`.
  return PATH.split(delimiter).filter((place) => isAbsolute(place));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
