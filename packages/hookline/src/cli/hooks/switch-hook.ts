import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configPath } from "../../config/config-path.js";
import { loadConfig } from "../../config/load-config.js";
import { HOOK_FILE } from "../../extensions/folder/hook-yaml.js";
import { withEnabled } from "../../extensions/installed/edit-manifest.js";
import { MANIFEST_NAME } from "../../extensions/process/manifest.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { inert } from "../format/inert.js";
import { switchEntry } from "../switch-entry.js";
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
  const hooks = await findKnownHooks(terminal.env, project);
  if (name !== undefined && hooks.every((hook) => hook.name !== name)) await refuseRule(terminal.env, name, word);
  const hook = pickHook(hooks, name, word);
  if (hook.from === "project")
    throw new CliError(`"${hook.name}" belongs to the project.`, {
      next: `hookline hooks ${isEnabled ? "trust" : "revoke"} '${hook.name}'`,
    });
  const file = hook.entry?.file ?? manifestIn(hook.path);
  if (file === undefined) throw new CliError(`"${hook.path}" has no manifest to write to.`, { next: "hookline hooks doctor" });
  if (hook.entry === undefined) replace(file, withEnabled(readFileSync(file, "utf8"), file.endsWith(".json") ? "json" : "yaml", isEnabled));
  else switchEntry({ table: "hook", ...hook.entry }, isEnabled);
  terminal.say(`${inert(hook.name)} is ${word}d, in ${inert(file)}. A hub that runs takes it up within a second.`);
  return EXIT.ok;
}

/** Rules are switched in the same way, by a command of their own. */
async function refuseRule(env: NodeJS.ProcessEnv, name: string, word: string): Promise<void> {
  const { config } = await loadConfig(configPath(env));
  if (config?.rules.some((rule) => rule.name === name) !== true) return;
  throw new CliError(`"${name}" is no hook, but a rule.`, { next: `hookline rules ${word} '${name}'` });
}

function manifestIn(folder: string): string | undefined {
  return [MANIFEST_NAME, HOOK_FILE].map((name) => join(folder, name)).find((path) => existsSync(path));
}

function replace(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: statSync(file).mode & 0o777, flag: "wx" });
  renameSync(temporary, file);
}
