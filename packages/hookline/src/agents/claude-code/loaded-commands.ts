import { type Dirent, opendirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { readFileStart, readRegularFile } from "../../machine/regular-file.js";
import type { LoadedFiles, Translated } from "../shared/definition.js";
import { isObject } from "../shared/native-payload.js";
import { projectFolders } from "../shared/settings-files.js";

/** Claude Code runs these while it loads the file. */
const INLINE = /!`([^`]+)`/g;
/** The fence of a block of code that it runs, too. */
const [FENCE, RUN_FENCE] = [/^\s*(?:```|~~~)/, /^\s*(?:```|~~~)!/];
/** The search runs on the hub's thread. A repository decides how much there is to search. */
const [MAX_ENTRIES, MAX_FILES, MAX_TOTAL_BYTES] = [20_000, 2_000, 8 * 1_024 ** 2];
const NAME_BYTES = 4_096;
const MAX_COMMANDS = 50;
/** The other forms of a value in YAML: its text is not simply on the line. */
const NOT_PLAIN = /^[>|&*!{[]/;

/**
 * The commands that Claude Code runs by itself when it loads a skill or a custom command: `Skill` names one, and a session can use all those of its
 * project. No hook of Claude Code is asked about them.
 */
export function loads({ event, payload: { cwd, tool } }: Translated): LoadedFiles {
  const folder = typeof cwd === "string" ? cwd : undefined;
  if (event === "session:start") {
    const { files, unknown } = findFiles(inProject(folder));
    return commandsIn(files, unknown);
  }
  if (event !== "tool:before" || !isObject(tool) || tool.name !== "Skill" || !isObject(tool.input)) return { commands: [] };
  const { skill, command = skill } = tool.input;
  const name = typeof skill === "string" ? skill : typeof command === "string" ? command : "";
  const [word = ""] = name.replace(/^\//, "").split(/\s/, 1);
  const { files, unknown } = findFiles([...inProject(folder), ...userFolders()]);
  if (folder === undefined) unknown.push("The call does not say in which folder it runs.");
  const called = files.filter((path) => isCalled(path, word));
  if (called.length === 0) unknown.push(`No file of "${word}" was found.`);
  return commandsIn(called, unknown);
}

function inProject(cwd: string | undefined): readonly string[] {
  const folders = cwd === undefined ? [] : projectFolders(cwd);
  return folders.flatMap((folder) => ["skills", "commands"].map((name) => join(folder, ".claude", name)));
}

function userFolders(): readonly string[] {
  const folder = process.env.CLAUDE_CONFIG_DIR || join(homedir(), ".claude");
  return ["skills", "commands", "plugins"].map((name) => join(folder, name));
}

interface Found {
  readonly files: string[];
  /** What was not searched, and why: one sentence each. */
  readonly unknown: string[];
}

/** All Markdown files below the folders. Of a link to a folder, only the skill directly in it counts: links can lead in circles, or anywhere. */
function findFiles(roots: readonly string[]): Found {
  const [files, unknown]: [string[], string[]] = [[], []];
  const folders = [...new Set(roots)];
  let entries = 0;
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    try {
      for (const entry of listed(folder, MAX_ENTRIES + 1 - entries)) {
        entries += 1;
        const path = join(folder, entry.name);
        const kind = entry.isSymbolicLink() ? targetOf(path) : entry;
        if (kind?.isDirectory() === true && kind === entry) folders.push(path);
        else if (kind?.isDirectory() === true) {
          if (roots.includes(folder) && basename(folder) === "skills") files.push(join(path, "SKILL.md"));
          else unknown.push(`"${path}" is a link to a folder, which Hookline does not follow.`);
        } else if (kind !== undefined && entry.name.endsWith(".md")) files.push(path);
      }
    } catch (error) {
      unknown.push(`"${folder}" cannot be searched: ${(error as Error).message}.`);
    }
    if (entries > MAX_ENTRIES || files.length > MAX_FILES) {
      unknown.push(`There are more than ${MAX_ENTRIES} entries or ${MAX_FILES} files to search.`);
      break;
    }
  }
  return { files: files.slice(0, MAX_FILES), unknown };
}

function listed(folder: string, most: number): readonly Dirent[] {
  try {
    const [open, entries] = [opendirSync(folder), [] as Dirent[]];
    try {
      for (let entry = open.readSync(); entry !== null && entries.length < most; entry = open.readSync())
        if (entry.name !== "node_modules" && entry.name !== ".git") entries.push(entry);
    } finally {
      open.closeSync();
    }
    return entries;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

function targetOf(path: string): { isDirectory(): boolean } | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/**
 * By the folder of a `SKILL.md`, by the file of a custom command, or by the name that the file gives itself. A plugin's name comes before a colon. A
 * file whose own name cannot be known counts as called.
 */
function isCalled(path: string, word: string): boolean {
  const last = word.split(":").at(-1) ?? word;
  const name = basename(path) === "SKILL.md" ? basename(dirname(path)) : basename(path, ".md");
  const start = readFileStart(path, NAME_BYTES);
  if (start === undefined) return false;
  if ("fault" in start) return true;
  const text = start.bytes.toString("utf8");
  const given = [...text.matchAll(/^["']?name["']?[ \t]*:[ \t]*["']?([^"'\r\n]+?)["']?[ \t]*\r?$/gm)].map(([, value = ""]) => value);
  const isCut = start.stats.size > NAME_BYTES && /^\ufeff?---/.test(text) && !/\n---/.test(text);
  return isCut || given.some((one) => NOT_PLAIN.test(one)) || [name, ...given].some((one) => one === word || one === last);
}

function commandsIn(files: readonly string[], unknown: readonly string[]): LoadedFiles {
  const faults = [...unknown];
  const found = new Set<string>();
  let total = 0;
  for (const path of files) {
    const file = readRegularFile(path);
    if (file === undefined) continue;
    if ("fault" in file) faults.push(`"${path}" was not read. ${file.fault}`);
    else if (total + file.bytes.length > MAX_TOTAL_BYTES) {
      faults.push(`The files have more than ${MAX_TOTAL_BYTES} bytes together.`);
      break;
    } else {
      total += file.bytes.length;
      const text = file.bytes.toString("utf8");
      const inline = [...text.matchAll(INLINE)].map(([, command = ""]) => command);
      for (const command of [...inline, ...blocksIn(text)]) found.add(`${path}: ${command.trim()}`);
    }
  }
  if (found.size > MAX_COMMANDS) faults.push(`${found.size - MAX_COMMANDS} more commands are not shown.`);
  const [first, ...rest] = faults;
  const more = rest.length === 0 ? "" : ` (and ${rest.length} more)`;
  return { commands: [...found].slice(0, MAX_COMMANDS), ...(first !== undefined && { unknown: `${first}${more}` }) };
}

function blocksIn(text: string): readonly string[] {
  const blocks: string[][] = [];
  let isInside = false;
  for (const line of text.split("\n")) {
    if (!isInside && RUN_FENCE.test(line)) {
      isInside = true;
      blocks.push([]);
    } else if (isInside && FENCE.test(line)) isInside = false;
    else if (isInside) blocks.at(-1)?.push(line);
  }
  return blocks.map((lines) => lines.join("\n"));
}
