import { basename, extname } from "node:path";
import type { HookConfig } from "../config.js";
import { resolvePath } from "../config-path.js";
import type { KeyPath } from "../positions/key-positions.js";
import { hookSchemas } from "./hook-schema.js";
import { type Read, readTable } from "./read-table.js";

/** Reads one `[[hook]]` table; nothing without findings for one that is switched off. */
export function readHook(table: unknown, path: KeyPath, folder: string): Read<Omit<HookConfig, "file" | "line">> {
  const { value, findings } = readTable(hookSchemas.module, table, path);
  if (value === undefined || value.enabled === false) return { value: undefined, findings };
  const { name = nameOf(value.module), module, export: exported = "handle", event, enabled: _, ...rest } = value;
  const given = Object.fromEntries(Object.entries(rest).filter(([, option]) => option !== undefined));
  return { value: { name, module: resolvePath(folder, module), export: exported, events: [...new Set(event)], ...given }, findings };
}

function nameOf(module: string): string {
  return basename(module, extname(module)).replaceAll(/\s+/g, "-");
}
