import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { type ErrorCode, HookError } from "@hookline/core";
import type { CommandSpec } from "./command-spec.js";

/** What is started, with every path in full. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

const SHELL = process.platform === "win32" ? "cmd.exe" : "/bin/sh";

/** A bare name is looked up in PATH; a path begins in the spec's folder, or at home after `~/`. */
export function programOf({ command, args = [], shell = false, folder }: CommandSpec): Program {
  if (shell)
    return process.platform === "win32"
      ? { file: SHELL, args: ["/d", "/s", "/c", command] }
      : { file: SHELL, args: ["-c", command, SHELL, ...args] };
  if (command.startsWith("~/")) return { file: join(homedir(), command.slice(2)), args };
  return { file: /[\\/]/.test(command) ? resolve(folder, command) : command, args };
}

/** Looks, without starting it, whether a program could be started. Throws as starting it would. */
export function checkProgram(program: Program, cwd: string, path: string | undefined): void {
  const found = isFolder(cwd) ? locate(program.file, path ?? "") : undefined;
  const code = found === undefined ? "ENOENT" : isRunnable(found) ? undefined : "EACCES";
  if (code !== undefined) throw explainSpawn(Object.assign(new Error(code), { code }), program, cwd, path);
}

/** Why a program did not start, each cause by its own code. */
export function explainSpawn(error: NodeJS.ErrnoException, program: Program, cwd: string, path: string | undefined): HookError {
  const [code, what] = causeOf(error, program, cwd, path);
  return new HookError(code, what, { failure: "spawn_error", cause: error });
}

function causeOf(error: NodeJS.ErrnoException, { file }: Program, cwd: string, path = ""): readonly [ErrorCode, string] {
  if (!isFolder(cwd)) return ["HL_COMMAND_FOLDER", `Its working folder "${cwd}" is not there.`];
  const found = locate(file, path);
  if (error.code === "ENOENT" && found === undefined) return ["HL_COMMAND_MISSING", `There is no program "${file}".`];
  if (error.code === "ENOENT") return ["HL_COMMAND_INTERPRETER", `The interpreter of "${found}" is not there: ${firstLine(found)}`];
  if (error.code === "EACCES") return ["HL_COMMAND_NOT_EXECUTABLE", `"${found ?? file}" may not be run. Run: chmod +x '${found ?? file}'`];
  return ["HL_COMMAND_SPAWN", `"${file}" could not be started: ${error.message}.`];
}

function locate(file: string, path: string): string | undefined {
  const candidates = /[\\/]/.test(file) ? [file] : path.split(delimiter).map((folder) => join(folder, file));
  return candidates.find(isThere);
}

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.F_OK);
    return true;
  } catch {
    return false;
  }
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function firstLine(path = ""): string {
  try {
    const [line = ""] = readFileSync(path, "latin1").split("\n", 1);
    return line.startsWith("#!") ? JSON.stringify(line.slice(0, 100)) : "it has no #! line.";
  } catch {
    return "it cannot be read.";
  }
}
