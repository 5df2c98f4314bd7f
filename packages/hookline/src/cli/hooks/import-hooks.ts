import { readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { inertText } from "@hookline/core/internal/text";
import { events } from "../../agents/claude-code/events.js";
import { importClaudeSettings } from "../../extensions/command/import/claude-settings.js";
import { importCodewhale } from "../../extensions/command/import/codewhale.js";
import { type Imported, type ImportProblem, writeHooks } from "../../extensions/command/import/imported-hook.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { text } from "../option-values.js";
import type { Terminal } from "../terminal.js";

const readers: { readonly [format: string]: (text: string, path: string, env: NodeJS.ProcessEnv) => Imported } = {
  "claude-settings": (text, path, env) => importClaudeSettings(text, { events, ...cwdOf(path, env) }),
  codewhale: (text) => importCodewhale(text),
};

export const command: CommandModule = {
  define(command) {
    command
      .argument("[format]", Object.keys(readers).join(" or "), text)
      .argument("[file]", "the file that holds the hooks", text)
      .addHelpText(
        "after",
        "\nPrints tables for hookline.toml to stdout, and what was left out to stderr. Exit code 1 when something was left out.",
      )
      .addHelpText("after", examples("hookline hooks import claude-settings ~/.claude/settings.json >> ~/.config/hookline/hookline.toml"));
  },

  run: (terminal, _, args) => importHooks(terminal, args),
};

async function importHooks(terminal: Terminal, [format = "", file]: readonly string[]): Promise<number> {
  const read = Object.hasOwn(readers, format) ? readers[format] : undefined;
  if (read === undefined || file === undefined)
    throw new CliError(`Name what to import (${Object.keys(readers).join(" or ")}) and the file.`, {
      exitCode: EXIT.usage,
      fix: { run: "hookline hooks import --help" },
    });
  const path = resolve(file);
  const { hooks, problems, notes } = read(textOf(path), path, terminal.env);
  terminal.print(writeHooks(hooks).trimEnd());
  for (const problem of problems) terminal.say(inertText(`${placeOf(path, problem)}: left out. ${problem.message}`));
  for (const note of notes) terminal.say(inertText(`${placeOf(path, note)}: ${note.message}`));
  terminal.say(`${countText(hooks.length, "hook")} for hookline.toml, ${problems.length} left out.`);
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
}

/** The line, and the hook's own name. */
function placeOf(path: string, { line, key, name }: ImportProblem): string {
  return `${path}:${line}: ${name === undefined ? key : `"${name}" (${key})`}`;
}

/** Claude Code runs hooks in the session's folder, and hooks from a project's `.claude` folder in the project. */
function cwdOf(path: string, env: NodeJS.ProcessEnv): { readonly cwd: string } {
  const folder = dirname(path);
  const isProject = basename(folder) === ".claude" && dirname(folder) !== env.HOME;
  return { cwd: isProject ? dirname(folder) : "event" };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new CliError(code === "ENOENT" ? `There is no file "${path}".` : `"${path}" cannot be read: ${message}.`, {
      fix: { run: "hookline hooks import --help" },
      cause,
    });
  }
}
