import { homedir } from "node:os";
import type { CommandFact, PathFact } from "./facts.js";
import { joinPath, START } from "./paths.js";
import { commandsInPowerShell, commandsInText, commandsInWords, type Start, unknownCommand } from "./walk.js";

/** What `commandsOf` needs of an event. */
export interface EventWithPayload {
  readonly payload: unknown;
}

/** Where the paths of facts begin. */
export interface CommandOptions {
  /** The home folder. Default: that of this process. */
  readonly home?: string;
}

/** Fields that hold a command, whatever tool has them. */
const commandFields = [
  "command",
  "cmd",
  "script",
  "shell_command",
  "bash_command",
  "command_line",
  "commandLine",
  "CommandLine",
  "cmdline",
] as const;
/** Fields that hold a command only in a shell's tool: elsewhere they are other text. */
const shellFields = ["code", "input", "chars", "text", "keys"] as const;
/** Fields with the words of one command. */
const wordFields = ["argv"] as const;
const dirFields = ["cwd", "workdir", "working_directory", "workingDirectory", "dir_path", "directory", "Cwd"] as const;

/** Tools that give text to a shell, in agents that Hookline attaches to and in others. */
const shellTools = new Set([
  "bash",
  "monitor",
  "shell",
  "exec",
  "exec_command",
  "exec_shell",
  "execute_command",
  "local_shell",
  "run_command",
  "run_in_terminal",
  "run_shell_command",
  "run_terminal_cmd",
  "shell_command",
  "terminal",
  "write_bash",
  "write_stdin",
]);
/** Tools whose field `command` is something else, such as a patch. */
const otherTools = new Set([
  "edit",
  "multiedit",
  "write",
  "read",
  "notebookedit",
  "notebookread",
  "apply_patch",
  "str_replace_editor",
  "str_replace_based_edit_tool",
  "glob",
  "grep",
  "ls",
]);
const POWERSHELL = "PowerShell";
const powerShells = new Set(["powershell", "pwsh", "write_powershell"]);

/** Names of tools, in lower case, and fields of inputs without which a call runs no command, as data. */
export const shellCalls = {
  tools: [...shellTools, ...powerShells],
  fields: [...commandFields, ...wordFields, "commands", "language", "lang", "shell"],
} as const;

type Fields = { readonly [name: string]: unknown };
/** A text for a shell, or the words of one command. */
type CommandSource = string | readonly string[];

interface Call {
  readonly sources: readonly CommandSource[];
  readonly dir: string;
  /** A shell that facts cannot read. */
  readonly otherShell: string | undefined;
}

interface Cached extends Call {
  readonly home: string;
  readonly facts: readonly CommandFact[];
}

const cache = new WeakMap<object, Cached>();
const none: readonly CommandFact[] = [];

/**
 * The commands that a tool call runs, one entry per simple command. Empty for a call that runs none. They are computed when they are first asked for.
 *
 * @example
 * bus.on("tool:before", (event) => {
 *   if (commandsOf(event).some(({ deletes, recursive }) => recursive && deletes.some(({ path }) => path === "/"))) return block("Not the root.");
 * });
 */
export function commandsOf(event: EventWithPayload, options: CommandOptions = {}): readonly CommandFact[] {
  const { payload } = event;
  if (!isFields(payload)) return none;
  const call = readCall(payload);
  if (call === undefined) return none;
  const home = options.home ?? homedir();
  const known = cache.get(payload);
  // A handler may have changed the payload in place.
  if (known !== undefined && known.home === home && isSameCall(known, call)) return known.facts;
  const facts = compute(call, home);
  cache.set(payload, { ...call, home, facts });
  return facts;
}

function compute({ sources, dir, otherShell }: Call, home: string): readonly CommandFact[] {
  const start: Start = { dir: { path: dir }, home };
  if (otherShell !== undefined && otherShell !== POWERSHELL)
    return [unknownCommand(`the command is for ${otherShell}, which is not read`, start)];
  const [first, ...others] = sources;
  if (first === undefined) return none;
  const factsOf = (source: CommandSource): readonly CommandFact[] =>
    otherShell === POWERSHELL
      ? commandsInPowerShell(typeof source === "string" ? source : source.join(" "), start)
      : typeof source === "string"
        ? commandsInText(source, start)
        : commandsInWords(source, start);
  return limitPatterns(others.length === 0 ? factsOf(first) : sources.flatMap(factsOf), start);
}

/** The characters of all names in a call that are patterns. Every rule compares each of them with the paths that it names. */
const MAX_PATTERNS = 8_192;

/** Leaves out the patterns beyond the limit, and adds a command of which nothing is known in their place. */
function limitPatterns(facts: readonly CommandFact[], start: Start): readonly CommandFact[] {
  let left = MAX_PATTERNS;
  const isInLimit = ({ path, glob, unknown }: PathFact): boolean => {
    if (glob === undefined && unknown === undefined) return true;
    for (const name of path.split("/")) if (/[*?[]/.test(name)) left -= name.length;
    return left >= 0;
  };
  const limited = facts.map((fact) => {
    const before = left;
    const lists = {
      deletes: fact.deletes.filter(isInLimit),
      changes: fact.changes.filter(isInLimit),
      writes: fact.writes.filter(isInLimit),
      redirects: fact.redirects.filter(isInLimit),
      reads: fact.reads.filter(isInLimit),
      loads: fact.loads.filter(isInLimit),
    };
    return left >= 0 || left === before ? fact : { ...fact, ...lists };
  });
  return left >= 0 ? facts : [...limited, unknownCommand(`the command has more than ${MAX_PATTERNS} characters of patterns`, start)];
}

function isSameCall(left: Call, right: Call): boolean {
  const { sources } = right;
  if (left.dir !== right.dir || left.otherShell !== right.otherShell || left.sources.length !== sources.length) return false;
  return left.sources.every((one, index) => isSameSource(one, sources[index] as CommandSource));
}

function isSameSource(left: CommandSource, right: CommandSource): boolean {
  if (typeof left === "string" || typeof right === "string") return left === right;
  return left.length === right.length && left.every((word, index) => word === right[index]);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function readCall(payload: Fields): Call | undefined {
  const { tool, cwd } = payload;
  if (!isFields(tool)) return undefined;
  const { name, runtimeName, input } = tool;
  const names: string[] = [];
  if (typeof name === "string") names.push(name.toLowerCase());
  if (typeof runtimeName === "string") names.push(runtimeName.toLowerCase());
  if (names.some((one) => otherTools.has(one))) return undefined;
  const isShell = names.some((one) => shellTools.has(one));
  const fields: Fields = isFields(input) && !Array.isArray(input) ? input : isShell ? { command: input } : {};
  const sources = sourcesIn(fields, isShell);
  if (sources.length === 0) return undefined;
  return { sources, dir: dirOf(fields, cwd), otherShell: otherShellOf(names, fields) };
}

function sourcesIn(fields: Fields, isShell: boolean): readonly CommandSource[] {
  const sources: CommandSource[] = [];
  for (const field of commandFields) addSource(sources, fields[field], fields.args);
  for (const field of wordFields) addSource(sources, fields[field], undefined);
  if (isShell || isShellCode(fields)) for (const field of shellFields) addSource(sources, fields[field], undefined);
  if (Array.isArray(fields.commands))
    for (const one of fields.commands) addSource(sources, isFields(one) && !Array.isArray(one) ? (one.command ?? one.cmd) : one, undefined);
  return sources;
}

function isShellCode({ language, lang }: Fields): boolean {
  return [language, lang].some((one) => typeof one === "string" && /^(?:bash|sh|shell|zsh)$/i.test(one));
}

function addSource(sources: CommandSource[], value: unknown, args: unknown): void {
  if (typeof value === "string") {
    if (value === "") return;
    if (Array.isArray(args) && args.length > 0) sources.push([value, ...args.map(String)]);
    else sources.push(value);
  } else if (Array.isArray(value) && value.length > 0) {
    // A list of one text is what a shell gets, not the name of a program with spaces.
    sources.push(value.length === 1 ? String(value[0]) : value.map(String));
  }
}

function dirOf(fields: Fields, cwd: unknown): string {
  const start = typeof cwd === "string" && cwd.startsWith("/") ? cwd : START;
  const own = dirFields.map((field) => fields[field]).find((value) => typeof value === "string" && value !== "");
  return typeof own === "string" ? joinPath(start, own) : start === START ? START : joinPath(start, ".");
}

function otherShellOf(names: readonly string[], { shell }: Fields): string | undefined {
  if (names.some((one) => powerShells.has(one))) return POWERSHELL;
  if (typeof shell !== "string") return undefined;
  const name = shell
    .toLowerCase()
    .replace(/^.*[\\/]/, "")
    .replace(/\.exe$/, "");
  if (powerShells.has(name)) return POWERSHELL;
  return name === "cmd" ? "cmd.exe" : name === "fish" || name === "nu" || name === "csh" || name === "tcsh" ? name : undefined;
}
