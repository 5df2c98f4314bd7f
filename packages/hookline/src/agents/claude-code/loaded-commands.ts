import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Translated } from "../shared/definition.js";
import { isObject } from "../shared/native-payload.js";

/** Claude Code runs these while it loads the file. */
const INLINE = /!`([^`]+)`/g;
/** The fence of a block of code that it runs, too. */
const [FENCE, RUN_FENCE] = [/^\s*(?:```|~~~)/, /^\s*(?:```|~~~)!/];
const MAX_FILES = 2_000;
const MAX_DEPTH = 8;
const MAX_BYTES = 1_048_576;
const MAX_COMMANDS = 50;

/**
 * The commands that Claude Code runs by itself when it loads a skill or a custom command: `Skill` names one, and a session can use all those of its
 * project. No hook of Claude Code is asked about them.
 */
export function loads({ event, payload: { cwd, tool } }: Translated): readonly string[] {
  const folder = typeof cwd === "string" ? cwd : undefined;
  if (event === "session:start") return commandsIn(projectFolders(folder).flatMap(filesBelow));
  if (event !== "tool:before" || !isObject(tool) || tool.name !== "Skill" || !isObject(tool.input)) return [];
  const { skill, command = skill } = tool.input;
  const name = typeof skill === "string" ? skill : typeof command === "string" ? command : "";
  const [word = ""] = name.replace(/^\//, "").split(/\s/, 1);
  const files = [...projectFolders(folder), ...userFolders()].flatMap(filesBelow);
  return commandsIn(files.filter((path) => isCalled(path, word)));
}

/** Claude Code looks in the folder, and in those above it up to the root of the repository. */
function projectFolders(cwd: string | undefined): readonly string[] {
  if (cwd === undefined) return [];
  const folders = [cwd];
  for (let folder = cwd; !existsSync(join(folder, ".git")) && dirname(folder) !== folder; folder = dirname(folder))
    folders.push(dirname(folder));
  return folders.flatMap((folder) => ["skills", "commands"].map((name) => join(folder, ".claude", name)));
}

function userFolders(): readonly string[] {
  const folder = process.env.CLAUDE_CONFIG_DIR || join(homedir(), ".claude");
  return ["skills", "commands", "plugins"].map((name) => join(folder, name));
}

function filesBelow(folder: string): string[] {
  const found: string[] = [];
  const visit = (path: string, depth: number): void => {
    if (depth > MAX_DEPTH || found.length >= MAX_FILES) return;
    for (const name of namesIn(path)) {
      const inside = join(path, name);
      const stats = statSync(inside, { throwIfNoEntry: false });
      if (stats?.isDirectory()) visit(inside, depth + 1);
      else if (stats?.isFile() && name.endsWith(".md") && stats.size <= MAX_BYTES) found.push(inside);
    }
  };
  visit(folder, 0);
  return found;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name !== "node_modules" && name !== ".git");
  } catch {
    return [];
  }
}

/** By the folder of a `SKILL.md`, by the file of a custom command, or by the name that the file gives itself. A plugin's name comes before a colon. */
function isCalled(path: string, word: string): boolean {
  const last = word.split(":").at(-1) ?? word;
  const name = basename(path) === "SKILL.md" ? basename(dirname(path)) : basename(path, ".md");
  const [, given] = /^name:\s*["']?([^"'\n]+?)["']?\s*$/m.exec(textOf(path).slice(0, 4_096)) ?? [];
  return [name, given].some((one) => one === word || one === last);
}

function commandsIn(files: readonly string[]): readonly string[] {
  const found = files.flatMap((path) => {
    const text = textOf(path);
    const inline = [...text.matchAll(INLINE)].map(([, command = ""]) => command);
    return [...inline, ...blocksIn(text)].map((command) => `${path}: ${command.trim()}`);
  });
  return [...new Set(found)].slice(0, MAX_COMMANDS);
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

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
