import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readSettings, withoutSetting, withSetting } from "../install/json-document.js";
import type { AgentLock } from "../shared/definition.js";
import { readSettingsFiles } from "../shared/settings-files.js";

export const SETTING = "enabled_providers";
const MARK = "hookline:";
/** Every provider, where the user's settings name none. */
const ALL = `${MARK}*`;

/**
 * OpenCode leaves out a plugin that it cannot load, says nothing, and runs every tool. So its settings name only providers of models that do not exist:
 * `hookline:anthropic` for `anthropic`, `hookline:*` for all. The plugin takes the mark away when it is loaded. Without it, there is no model.
 */
export const providerLock: AgentLock = {
  path(plugin) {
    const folder = dirname(dirname(plugin));
    // OpenCode reads them in this order, and the last one that has the setting decides.
    const files = ["config.json", "opencode.json", "opencode.jsonc"].map((name) => join(folder, name));
    const deciding = readSettingsFiles(files).findLast(({ settings }) => settings[SETTING] !== undefined);
    return deciding?.path ?? files.findLast((path) => existsSync(path)) ?? join(folder, "opencode.json");
  },
  isLocked(text) {
    return namesIn(text)?.every((name) => name.startsWith(MARK)) === true;
  },
  locked(text = "{}\n") {
    if (this.isLocked(text)) return text;
    const names = namesIn(text);
    if (names === undefined || names.length === 0) return withSetting(text.trim() === "" ? "{}\n" : text, [SETTING], [ALL]);
    return renamed(text, names, (name) => (name.startsWith(MARK) ? name : MARK + name));
  },
  unlocked(text) {
    const names = namesIn(text);
    if (names === undefined || !names.some((name) => name.startsWith(MARK))) return text;
    const without = names.includes(ALL)
      ? withoutSetting(text, [SETTING])
      : renamed(text, names, (name) => (name.startsWith(MARK) ? name.slice(MARK.length) : name));
    return Object.keys(Object(readSettings(without))).length === 0 ? undefined : without;
  },
};

/** What stands in the settings of one run for the providers that the user's settings enable. */
export function lockedNames(listed: unknown): readonly string[] {
  if (!Array.isArray(listed) || listed.length === 0) return [ALL];
  return listed.map(String).map((name) => (name.startsWith(MARK) ? name : MARK + name));
}

/** One name after the other, so that the list keeps its form. */
function renamed(text: string, names: readonly string[], rename: (name: string) => string): string {
  return names.reduce((rest, name, at) => (rename(name) === name ? rest : withSetting(rest, [SETTING, at], rename(name))), text);
}

function namesIn(text: string): readonly string[] | undefined {
  const listed = (Object(readSettings(text)) as { readonly [SETTING]?: unknown })[SETTING];
  return Array.isArray(listed) ? listed.map(String) : undefined;
}
