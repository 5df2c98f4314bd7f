import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { inert } from "../format/inert.js";
import type { Terminal } from "../terminal.js";
import { findHooks } from "./find-hooks.js";
import type { HooksOptions } from "./options.js";
import { pickHook } from "./pick-hook.js";

/** `hookline hooks enable|disable <name>`: writes `enabled` into the manifest of one of the user's own folders. */
export async function switchHook(
  terminal: Terminal,
  { project }: HooksOptions,
  [name]: readonly string[],
  isEnabled: boolean,
): Promise<number> {
  const word = isEnabled ? "enable" : "disable";
  const hook = pickHook(await findHooks(terminal.env, project), name, word);
  if (hook.from === "project")
    throw new CliError(`"${hook.name}" belongs to the project.`, {
      next: `hookline hooks ${isEnabled ? "trust" : "revoke"} '${hook.name}'`,
    });
  if (hook.kind !== "folder" && hook.kind !== "process")
    throw new CliError(`"${hook.name}" stands in ${hook.path}: write enabled = ${isEnabled} there.`, { next: "hookline hooks list" });
  const file = ["extension.json", "HOOK.yaml"].map((manifest) => join(hook.path, manifest)).find((path) => existsSync(path));
  if (file === undefined) throw new CliError(`"${hook.path}" has no manifest to write to.`, { next: "hookline hooks doctor" });
  replace(file, edited(file, isEnabled));
  terminal.say(`${inert(hook.name)} is ${word}d. A hub that runs takes it up when it reads its hooks again.`);
  return EXIT.ok;
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
