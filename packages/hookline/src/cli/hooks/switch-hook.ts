import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { replaceConfigFile } from "../../config/edit-config.js";
import { indexAtLine, setEnabled } from "../../config/set-enabled.js";
import { HOOK_FILE } from "../../extensions/folder/hook-yaml.js";
import { MANIFEST_NAME } from "../../extensions/process/manifest.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { inert } from "../format/inert.js";
import type { Terminal } from "../terminal.js";
import { findKnownHooks } from "./find-hooks.js";
import type { HooksOptions } from "./options.js";
import { pickHook } from "./pick-hook.js";

/** `hookline hooks enable|disable <name>`: writes `enabled` where one of the user's own hooks stands. */
export async function switchHook(
  terminal: Terminal,
  { project }: HooksOptions,
  [name]: readonly string[],
  isEnabled: boolean,
): Promise<number> {
  const word = isEnabled ? "enable" : "disable";
  const hook = pickHook(await findKnownHooks(terminal.env, project), name, word);
  if (hook.from === "project")
    throw new CliError(`"${hook.name}" belongs to the project.`, {
      next: `hookline hooks ${isEnabled ? "trust" : "revoke"} '${hook.name}'`,
    });
  const file = hook.entry?.file ?? manifestIn(hook.path);
  if (file === undefined) throw new CliError(`"${hook.path}" has no manifest to write to.`, { next: "hookline hooks doctor" });
  if (hook.entry === undefined) replace(file, edited(file, isEnabled));
  else replaceConfigFile(file, editedEntry(hook.entry, isEnabled));
  terminal.say(`${inert(hook.name)} is ${word}d, in ${inert(file)}. A hub that runs takes it up within a second.`);
  return EXIT.ok;
}

function manifestIn(folder: string): string | undefined {
  return [MANIFEST_NAME, HOOK_FILE].map((name) => join(folder, name)).find((path) => existsSync(path));
}

function editedEntry({ file, line }: { readonly file: string; readonly line: number }, isEnabled: boolean): string {
  const text = readFileSync(file, "utf8");
  try {
    const index = indexAtLine(text, "hook", line);
    const next = index === undefined ? undefined : setEnabled(text, "hook", index, isEnabled);
    if (next !== undefined) return next;
  } catch (cause) {
    throw new CliError(`${file}:${line} cannot be edited: ${(cause as Error).message}`, { cause });
  }
  throw new CliError(`${file}:${line} was changed meanwhile.`, { next: "hookline hooks list" });
}

/** Comments and order stay in YAML; JSON has neither comments nor an order that matters. */
function edited(file: string, isEnabled: boolean): string {
  const text = readFileSync(file, "utf8");
  if (file.endsWith(".json")) return `${JSON.stringify({ ...(JSON.parse(text) as object), enabled: isEnabled }, undefined, 2)}\n`;
  const document = parseDocument(text);
  document.set("enabled", isEnabled);
  return document.toString();
}

function replace(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: statSync(file).mode & 0o777, flag: "wx" });
  renameSync(temporary, file);
}
