import { isUtf8 } from "node:buffer";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { type ErrorCode, type Fix, HookError } from "@hookline/core";
import type { DialectName } from "../../config/config.js";
import type { CheckedFiles, HookSpec, StartCheck } from "../handler-source.js";
import { hashContent } from "../trust/hash-folder.js";

/** The program to start, with absolute paths. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

const SHELL = process.platform === "win32" ? "cmd.exe" : "/bin/sh";

/** A bare name is looked up in PATH. A relative path is resolved from the spec's folder, or from the home folder after `~/`. */
export function programOf({ command, args = [], shell = false, folder }: CommandSpec): Program {
  if (shell)
    return process.platform === "win32"
      ? { file: SHELL, args: ["/d", "/s", "/c", command] }
      : { file: SHELL, args: ["-c", command, SHELL, ...args] };
  if (command.startsWith("~/")) return { file: join(homedir(), command.slice(2)), args };
  return { file: /[\\/]/.test(command) ? resolve(folder, command) : command, args };
}

/** The longest argument that Linux takes is 128 KiB. */
const MAX_TEXT = 100 * 1_024;

/** The same program. A script for `sh` is given as text, with the bytes that were checked, so that the shell does not open the file again. */
export function checkedProgram(spec: CommandSpec, checked: CheckedFiles | undefined): Program {
  const program = programOf(spec);
  if (spec.script === undefined || checked === undefined) return program;
  const content = readFileSync(join(spec.folder, spec.script));
  if (hashContent(content) !== checked.hashes[spec.script])
    throw new HookError("HL_UNTRUSTED", `The file "${spec.script}" was changed after it was checked, so it was not run.`, {
      failure: "untrusted",
    });
  const isText = content.length <= MAX_TEXT && !content.includes(0) && isUtf8(content);
  return isText ? { file: program.file, args: ["-c", content.toString(), spec.script] } : program;
}

/** Checks whether a program could be started, without starting it. Throws the same errors as starting it. */
export function checkProgram(program: Program, cwd: string, path: string | undefined): void {
  const found = isFolder(cwd) ? locate(program.file, path ?? "") : undefined;
  const code = found === undefined ? "ENOENT" : isRunnable(found) ? undefined : "EACCES";
  if (code !== undefined) throw explainSpawn(Object.assign(new Error(code), { code }), program, cwd, path);
}

/** Why a program did not start, with one code per cause. */
export function explainSpawn(error: NodeJS.ErrnoException, program: Program, cwd: string, path: string | undefined): HookError {
  const [code, what, fix] = causeOf(error, program, cwd, path);
  return new HookError(code, what, { fix, failure: "spawn_error", cause: error });
}

function causeOf(error: NodeJS.ErrnoException, { file }: Program, cwd: string, path = ""): readonly [ErrorCode, string, Fix?] {
  if (!isFolder(cwd)) return ["HL_COMMAND_FOLDER", `Its working folder "${cwd}" does not exist.`];
  const found = locate(file, path);
  if (error.code === "ENOENT" && found === undefined) return ["HL_COMMAND_MISSING", `There is no program "${file}".`];
  if (error.code === "ENOENT") return ["HL_COMMAND_INTERPRETER", `The interpreter of "${found}" does not exist: ${firstLine(found)}`];
  if (error.code === "EACCES")
    return ["HL_COMMAND_NOT_EXECUTABLE", `"${found ?? file}" is not executable.`, { run: `chmod +x '${found ?? file}'` }];
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

/** A command that is started for each event. */
export interface CommandSpec {
  readonly name: string;
  /** A program; with `shell`, a command line for `sh`. */
  readonly command: string;
  readonly args?: readonly string[];
  /** A script in `folder` that is the only argument of the shell `command`. */
  readonly script?: string;
  /** Default false: no shell reads `command` or `args`. */
  readonly shell?: boolean;
  /** Default `own`. */
  readonly dialect?: DialectName;
  /** The absolute path of the folder of its file: relative paths begin there, and it runs there unless `cwd` says otherwise. */
  readonly folder: string;
  /** The folder it runs in. `"event"`: the agent's folder, or `folder` if that no longer exists. */
  readonly cwd?: string;
  /** Further variables of our environment that it receives. */
  readonly env?: readonly string[];
  /** Variables with given values. */
  readonly setEnv?: { readonly [name: string]: string };
  readonly hooks: readonly HookSpec[];
  /** For hooks without a limit of their own; 0 means no limit. */
  readonly timeoutMs?: number;
  /** How many may run at the same time. Default 16. */
  readonly maxRunning?: number;
  /** How many may wait for a slot. Default 64. */
  readonly maxWaiting?: number;
  readonly description?: string;
  /** The file that contains it. */
  readonly path?: string;
  readonly check?: StartCheck | undefined;
}
