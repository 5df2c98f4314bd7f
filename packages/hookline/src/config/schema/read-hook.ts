import { basename, extname } from "node:path";
import type { HookConfig } from "../config.js";
import { resolvePath } from "../config-path.js";
import type { KeyPath } from "../positions/key-positions.js";
import { hookSchemas } from "./hook-schema.js";
import { isTable, type Read, readTable } from "./read-table.js";

type Placeless<T> = T extends unknown ? Omit<T, "file" | "line"> : never;
type Kind = keyof typeof hookSchemas;
const kinds = Object.keys(hookSchemas) as Kind[];

/** Reads one `[[hook]]` table. One that is switched off is kept, so that it can be listed. */
export function readHook(table: unknown, path: KeyPath, folder: string): Read<Placeless<HookConfig>> {
  const [kind, second] = kinds.filter((key) => isTable(table) && Object.hasOwn(table, key));
  if (kind === undefined) return wrong(path, `A hook needs one of ${listed(kinds)}: what stands behind it.`);
  if (second !== undefined) return wrong([...path, second], `A hook has either "${kind}" or "${second}", not both.`);
  const { value, findings } = readTable<(typeof hookSchemas)[Kind]>(hookSchemas[kind], table, path);
  return { value: value && shapeOf(kind, value, folder), findings };
}

function shapeOf(kind: Kind, value: object, folder: string): Placeless<HookConfig> {
  const { event, ...rest } = Object.fromEntries(Object.entries(value).filter(([, option]) => option !== undefined));
  const fields = { ...rest, ...(event !== undefined && { events: [...new Set(event as string[])] }) } as { [key: string]: unknown };
  const behind = String(typeof fields[kind] === "object" ? "" : fields[kind]);
  const name = (fields.name as string | undefined) ?? nameOf(kind, behind);
  if (kind === "module") return { export: "handle", ...fields, kind, name, module: resolvePath(folder, behind) } as never;
  if (kind === "extension") {
    const { extension: _, ...others } = fields;
    return { ...others, kind, name, ...(fields.name !== undefined && { isNamed: true }), folder: resolvePath(folder, behind) } as never;
  }
  const cwd = fields.cwd as string | undefined;
  const place = cwd === undefined || cwd === "event" ? {} : { cwd: resolvePath(folder, cwd) };
  return { ...fields, kind, name, ...place } as never;
}

function nameOf(kind: Kind, behind: string): string {
  if (kind === "url") return URL.canParse(behind) ? new URL(behind).hostname : "url";
  const program = kind === "command" ? (behind.trim().split(/\s+/)[0] ?? "") : behind;
  return (
    basename(program, extname(program))
      .replaceAll(/[\s\p{Cc}]+/gu, "-")
      .slice(0, 64) || kind
  );
}

function wrong(path: KeyPath, message: string): Read<never> {
  return { value: undefined, findings: [{ path, message }] };
}

function listed(names: readonly string[]): string {
  return `${names
    .slice(0, -1)
    .map((name) => `"${name}"`)
    .join(", ")} or "${names.at(-1)}"`;
}
