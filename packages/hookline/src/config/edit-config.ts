import { copyFileSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { replaceFile } from "@hookline/core/internal/machine";
import { parseConfig } from "./load-config.js";
import { formatProblem } from "./problem.js";

/**
 * Replaces the file atomically and keeps the old content as `<file>.bak`. Returns the path of that copy; undefined if there was no file.
 */
export function replaceConfigFile(path: string, text: string): string | undefined {
  const target = resolved(path);
  const stats = statSync(target, { throwIfNoEntry: false });
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const backup = stats === undefined ? undefined : `${target}.bak`;
  if (backup !== undefined) copyFileSync(target, backup);
  replaceFile(target, text, stats === undefined ? { mode: 0o600 } : { like: stats });
  return backup;
}

// A link to a file elsewhere stays a link.
function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The new text, and which rules are new in it. */
interface RulesAdded {
  readonly text: string;
  readonly added: readonly string[];
}

/**
 * Appends the rules of a set that a file does not have yet. The existing text stays unchanged, including comments. Throws for a file that
 * cannot be extended.
 */
export async function addRules(text: string, path: string, set: string): Promise<RulesAdded> {
  const before = await parseConfig(text, path);
  if (before.config === undefined) throw new Error(before.problems.map(formatProblem).join("\n"));
  const present = new Set(before.config.rules.map(({ name }) => name));
  const [heading = "", ...tables] = set.split(/^(?=\[\[rule\]\]$)/m);
  const missing = tables.filter((table) => !present.has(nameIn(table)));
  if (missing.length === 0) return { text, added: [] };
  const next = `${text === "" || text.endsWith("\n") ? text : `${text}\n`}${text === "" ? "" : "\n"}${heading}${missing.join("")}`;
  const after = await parseConfig(next, path);
  const isWorse = after.config === undefined || after.problems.length > before.problems.length;
  if (isWorse) throw new Error(`Nothing can be added to the file:\n${after.problems.map(formatProblem).join("\n")}`);
  return { text: next, added: missing.map(nameIn) };
}

function nameIn(table: string): string {
  return /^name = "([^"]+)"$/m.exec(table)?.[1] ?? "";
}
