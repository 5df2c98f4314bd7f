import { readFileSync } from "node:fs";
import { parse } from "jsonc-parser";
import { readSettings as settingsOf, withoutSetting } from "../install/json-document.js";
import type { OffSwitch } from "./definition.js";
import { isObject, type Json } from "./native-payload.js";

/** One of the files in which an agent looks for its settings. */
export interface SettingsFile {
  readonly path: string;
  /** Empty if the file is missing or malformed. */
  readonly settings: Json;
}

/** Reads files of settings, comments and all. A file that cannot be read counts as empty: it switches nothing off. */
export function readSettingsFiles(paths: readonly string[]): SettingsFile[] {
  return [...new Set(paths)].map((path) => ({ path, settings: readSettings(path) }));
}

function readSettings(path: string): Json {
  try {
    const value: unknown = parse(readFileSync(path, "utf8").replace(/^\ufeff/, ""));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** A file of settings in which `disableAllHooks` switches off all hooks. */
export function allHooksSwitch(path: string): OffSwitch {
  return {
    path,
    says: 'runs no hook, because its settings say "disableAllHooks"',
    isOff: (text) => (settingsOf(text) as { readonly disableAllHooks?: unknown } | undefined)?.disableAllHooks === true,
    turnedOn: (text) => withoutSetting(text, ["disableAllHooks"]),
  };
}
