import { readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { importClaudeSettings } from "../../extensions/command/import/claude-settings.js";
import { importCodewhale } from "../../extensions/command/import/codewhale.js";
import { type Imported, writeHooks } from "../../extensions/command/import/imported-hook.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { inert } from "../format/inert.js";
import type { Terminal } from "../terminal.js";

const readers: { readonly [format: string]: (text: string, path: string) => Imported } = {
  "claude-settings": (text, path) => importClaudeSettings(text, cwdOf(path)),
  codewhale: (text) => importCodewhale(text),
};

/** `hookline hooks import <format> <file>`: prints what belongs into hookline.toml, and says what was left out. */
export async function importHooks(terminal: Terminal, [format = "", file]: readonly string[]): Promise<number> {
  const read = Object.hasOwn(readers, format) ? readers[format] : undefined;
  if (read === undefined || file === undefined)
    throw new CliError(`Say what to import: ${Object.keys(readers).join(" or ")}, and the file.`, {
      exitCode: EXIT.usage,
      next: "hookline hooks import claude-settings ~/.claude/settings.json",
    });
  const path = resolve(file);
  const { hooks, problems } = read(textOf(path), path);
  terminal.print(writeHooks(hooks).trimEnd());
  for (const { key, message } of problems) terminal.say(inert(`${key}: ${message}`));
  terminal.say(`${countText(hooks.length, "hook")} for hookline.toml, ${problems.length} left out.`);
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
}

/** A project's settings stand in its `.claude` folder, and their commands run in the project. */
function cwdOf(path: string): { readonly cwd?: string } {
  const folder = dirname(path);
  return basename(folder) === ".claude" ? { cwd: dirname(folder) } : {};
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new CliError(`"${path}" cannot be read: ${(cause as Error).message}.`, { cause });
  }
}
