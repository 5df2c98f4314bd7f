import { basename, dirname, join } from "node:path";
import { CLAUDE_WITHOUT_HOOKS_VARIABLES } from "../../commands/programs/agents.js";
import { readSettings, withoutSetting, withSetting } from "../install/json-document.js";
import type { OffSwitch } from "../shared/definition.js";
import { isObject, type Json } from "../shared/native-payload.js";

/** Which variables in the settings of a user leave out hooks. */
export interface UserFolder {
  /** The folder with the user's `settings.json`. */
  readonly folder: string;
  /** The hooks are in that folder, so a variable that moves it leaves them out, too. */
  readonly hasHooks: boolean;
}

/** The files whose `env` Claude Code puts into its own environment before it reads its hooks. It does not do so with a project's files. */
export function environmentFiles(folder: string): readonly string[] {
  const own = ["settings.json", ".claude.json", ".config.json"].map((name) => join(folder, name));
  return basename(folder) === ".claude" ? [...own, join(dirname(folder), ".claude.json")] : own;
}

/** As Claude Code reads a variable that switches something on. */
export function isOn(value: unknown): boolean {
  return /^\s*(1|true|yes|on)\s*$/i.test(String(value ?? ""));
}

/** The variables in `env` of these settings with which Claude Code runs no hook of ours. */
export function offVariables(settings: unknown, { folder, hasHooks }: UserFolder): readonly string[] {
  const env = environmentIn(settings);
  const moved = env.CLAUDE_CONFIG_DIR ?? "";
  return [
    ...CLAUDE_WITHOUT_HOOKS_VARIABLES.filter((name) => isOn(env[name])),
    ...(hasHooks && moved !== "" && moved !== folder ? ["CLAUDE_CONFIG_DIR"] : []),
  ];
}

function environmentIn(settings: unknown): Json {
  return isObject(settings) && isObject(settings.env) ? settings.env : {};
}

export function environmentSwitches(user: UserFolder): readonly OffSwitch[] {
  const off = (text: string) => offVariables(readSettings(text), user);
  return environmentFiles(user.folder).map((path) => ({
    path,
    says: 'does not run Hookline\'s hooks, because "env" in its settings sets a variable that switches hooks off or moves the settings',
    isOff: (text) => off(text).length > 0,
    turnedOn(text) {
      // The whole of it is written again: if it is there twice, the last one counts, and an edit would change the first one.
      const names = off(text);
      const left = Object.entries(environmentIn(readSettings(text))).filter(([name]) => !names.includes(name));
      const rest = withoutSetting(text, ["env"]);
      return left.length === 0 ? rest : withSetting(rest, ["env"], Object.fromEntries(left));
    },
  }));
}
