import { isDeepStrictEqual } from "node:util";
import { HookError } from "@hookline/core";
import { parse, stringify } from "smol-toml";
import { BEGIN, commentBlock, MANAGED_BEGIN, withoutBlocks } from "./comment-block.js";

/** An agent's file in TOML. Our lines are between two comments, so that removing them leaves the others as they were. */
export interface TomlSyntax {
  readonly toml: true;
  /** For a file with one list of hooks: the field of a hook that names its event. Missing where each event has a list. */
  readonly eventField?: string;
}

/** A setting that our hooks need besides themselves, such as the switch for hooks. */
export interface NeededSetting {
  readonly path: readonly string[];
  readonly value: boolean | string | number;
  /** Any value that is there already will do. */
  readonly isFree?: true;
}

type Table = { readonly [key: string]: unknown };
type Lists = { readonly [event: string]: readonly unknown[] };

/** Parses the text as the agent would. Throws `HL_AGENT_FILE` with the position. */
export function parseToml(text: string): Table {
  try {
    return JSON.parse(JSON.stringify(parse(text))) as Table;
  } catch (cause) {
    const [what = ""] = (cause as Error).message.split("\n");
    throw new HookError("HL_AGENT_FILE", what, { position: 0, cause });
  }
}

/** The entries of all events. */
export function tomlLists(text: string, { eventField }: TomlSyntax): Lists {
  const hooks = Object(parseToml(text).hooks) as Table;
  if (eventField !== undefined && Array.isArray(hooks)) return byEvent(hooks, eventField);
  return Object.fromEntries(Object.entries(hooks).filter((pair): pair is [string, unknown[]] => Array.isArray(pair[1])));
}

function byEvent(hooks: readonly unknown[], field: string): Lists {
  const lists: { [event: string]: unknown[] } = {};
  for (const hook of hooks) {
    const event = String((Object(hook) as Table)[field]);
    lists[event] = [...(lists[event] ?? []), hook];
  }
  return lists;
}

/** The text with our entries and settings as given, and everything else unchanged. Throws `HL_AGENT_FILE` if that is not possible. */
export function mergeToml(text: string, { entries, settings = [], syntax, marks }: WantedToml): string {
  const { eventField } = syntax;
  const begin = eventField === undefined ? MANAGED_BEGIN : BEGIN;
  const block = (lines: readonly string[]): string => commentBlock(lines, { begin });
  const hooks = eventField === undefined ? entries : Object.values(entries).flat();
  const base = removeToml(text, { syntax, marks });
  const before = parseToml(base);
  const missing = settings.filter(({ path }) => valueAt(before, path) === undefined);
  const top = missing.filter(({ path }) => path.length === 1).map(line);
  const tables = [...new Set(missing.flatMap(({ path: [table = "", ...rest] }) => (rest.length === 1 ? [table] : [])))];
  let result = base;
  const tail: string[] = [];
  for (const table of tables) {
    const lines = missing.filter(({ path }) => path.length === 2 && path[0] === table).map(line);
    const header = new RegExp(`^[ \\t]*\\[[ \\t]*${table}[ \\t]*\\][ \\t]*(#.*)?$`, "m").exec(result);
    if (header === null) tail.push(`[${table}]`, ...lines);
    else {
      const end = header.index + header[0].length;
      result = `${result.slice(0, end)}\n${block(lines).trimEnd()}${result.slice(end)}`;
    }
  }
  const gap = result === "" || result.endsWith("\n") ? "" : "\n";
  result = `${top.length === 0 ? "" : block(top)}${result}${gap}${block([...tail, stringify({ hooks }).trim()])}`;
  checkMerged(result, before, { entries, missing, isFlat: eventField !== undefined });
  return result;
}

interface WantedToml {
  readonly entries: Lists;
  readonly settings?: readonly NeededSetting[];
  readonly syntax: TomlSyntax;
  readonly marks: readonly string[];
}

/**
 * Removes our lines: those between our comments, and tables of a list of hooks that are ours, because the agent may have written the file again
 * without comments. A text in which one of our comments is missing keeps the lines between: what is ours is not known then.
 */
export function removeToml(text: string, { syntax, marks }: Pick<WantedToml, "syntax" | "marks">): string {
  const rest = withoutBlocks(text);
  if (syntax.eventField === undefined || !marks.some((mark) => rest.includes(mark))) return rest;
  const [head = "", ...tables] = rest.split(/^(?=[ \t]*\[)/m);
  const isOurs = (table: string): boolean => /^[ \t]*\[\[[ \t]*hooks[ \t]*\]\]/.test(table) && marks.some((mark) => table.includes(mark));
  return [head, ...tables.filter((table) => !isOurs(table))].join("");
}

export function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (Object(value) as Table)[key], values);
}

/** A table that is written in another way, or a header inside a text, would make it another document. */
function checkMerged(
  text: string,
  before: Table,
  { entries, missing, isFlat }: { readonly entries: Lists; readonly missing: readonly NeededSetting[]; readonly isFlat: boolean },
): void {
  const expected = structuredClone(before) as { [key: string]: unknown };
  for (const { path, value } of missing) {
    const [key = "", inner] = path;
    if (inner === undefined) expected[key] = value;
    else expected[key] = { ...(Object(expected[key]) as Table), [inner]: value };
  }
  expected.hooks = isFlat ? flatHooks(expected.hooks, entries) : listedHooks(expected.hooks, entries);
  let after: Table | undefined;
  try {
    after = parseToml(text);
  } catch {
    // Said below.
  }
  if (isDeepStrictEqual(after, expected)) return;
  const tables = [...new Set(["hooks", ...missing.flatMap(({ path: [table = "", ...rest] }) => (rest.length > 0 ? [table] : []))])];
  throw new HookError(
    "HL_AGENT_FILE",
    `the tables ${tables.map((name) => `"${name}"`).join(" and ")} are written in a form that cannot be added to`,
    {
      position: 0,
    },
  );
}

function flatHooks(before: unknown, entries: Lists): unknown {
  return [...(Array.isArray(before) ? before : []), ...(JSON.parse(JSON.stringify(Object.values(entries).flat())) as unknown[])];
}

function listedHooks(before: unknown, entries: Lists): unknown {
  const hooks = Object(before) as Table;
  const added = Object.entries(entries).map(([event, list]) => [event, [...((hooks[event] as unknown[] | undefined) ?? []), ...list]]);
  return { ...hooks, ...(JSON.parse(JSON.stringify(Object.fromEntries(added))) as Table) };
}

function line({ path, value }: NeededSetting): string {
  return `${path.at(-1)} = ${JSON.stringify(value)}`;
}
