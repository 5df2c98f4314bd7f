import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { HookError } from "@hookline/core";
import { replaceFile } from "@hookline/core/internal/machine";
import { replaceConfigFile } from "../../config/edit-config.js";
import { parseToml } from "../../config/parse-toml.js";
import { indexAtLine, type KeySetting, type SwitchedTable, setEntryKey } from "../../config/set-enabled.js";
import { HOOK_FILE } from "../folder/hook-yaml.js";
import { MANIFEST_NAME } from "../process/manifest.js";
import { withEnabled } from "./edit-manifest.js";
import type { InstalledHook } from "./installed-hook.js";

/** An entry of a list in hookline.toml, by the line of its header. */
export interface ConfigEntry {
  readonly table: SwitchedTable;
  readonly file: string;
  readonly line: number;
  readonly name: string;
}

/** Sets `enabled` for one of the user's own hooks, and returns the file. Throws `HL_CONFIG`. */
export function switchInstalled({ name, from, entry, path }: InstalledHook, isEnabled: boolean): string {
  if (from === "fleet")
    throw new HookError("HL_CONFIG", `"${name}" comes with the fleet's policy. It cannot be switched on or off here.`, {
      fix: { run: "hookline policy status" },
    });
  if (from === "project")
    throw new HookError("HL_CONFIG", `"${name}" belongs to the project.`, {
      fix: { run: `hookline hooks ${isEnabled ? "trust" : "revoke"} '${name}'` },
    });
  if (entry !== undefined) return setConfigEntry({ table: "hook", name, ...entry }, { key: "enabled", value: isEnabled });
  const file = [MANIFEST_NAME, HOOK_FILE].map((manifest) => join(path, manifest)).find((found) => existsSync(found));
  if (file === undefined)
    throw new HookError("HL_CONFIG", `"${path}" has no manifest to write to.`, { fix: { run: "hookline hooks doctor" } });
  const text = withEnabled(readFileSync(file, "utf8"), file.endsWith(".json") ? "json" : "yaml", isEnabled);
  replaceFile(file, text, { like: statSync(file) });
  return file;
}

/** Sets a key of an entry of hookline.toml. The rest of the file stays unchanged. */
export function setConfigEntry({ table, file, line, name }: ConfigEntry, setting: KeySetting): string {
  const text = readFileSync(file, "utf8");
  let next: string | undefined;
  try {
    const index = indexAtLine(text, table, line);
    next = index === undefined || !isNamed(text, { table, index, name }) ? undefined : setEntryKey(text, table, index, setting);
  } catch (cause) {
    throw new HookError("HL_CONFIG", `${file}:${line} cannot be edited: ${(cause as Error).message}`, { cause });
  }
  if (next === undefined)
    throw new HookError("HL_CONFIG", `${file}:${line} was changed in the meantime.`, { fix: { run: `hookline ${table}s list` } });
  replaceConfigFile(file, next);
  return file;
}

/** Another entry may be on that line by now. */
function isNamed(text: string, { table, index, name }: { readonly table: string; readonly index: number; readonly name: string }): boolean {
  const parsed = parseToml(text);
  const entries = "message" in parsed ? undefined : (parsed.document[table] as readonly { readonly name?: unknown }[] | undefined);
  const found = entries?.[index]?.name;
  return found === undefined || found === name;
}
