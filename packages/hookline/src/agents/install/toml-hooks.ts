import { isDeepStrictEqual } from "node:util";
import { HookError } from "@hookline/core";
import { parse, stringify } from "smol-toml";
import { isMarked } from "./hook-lists.js";

/** An agent's file in TOML. Our lines are between two comments, so that removing them leaves the others as they were. */
export interface TomlSyntax {
  readonly toml: true;
}

/** A setting that our hooks need besides themselves, such as the switch for hooks. */
export interface NeededSetting {
  readonly path: readonly string[];
  readonly value: boolean | string;
  /** Any value that is there already will do. */
  readonly isFree?: true;
}

type Table = { readonly [key: string]: unknown };
type Lists = { readonly [event: string]: readonly unknown[] };

const BEGIN = '# Hookline begins here. Written by "hookline attach --managed"; "hookline detach --managed" removes it.';
const END = "# Hookline ends here.";

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
export function tomlLists(text: string): Lists {
  const hooks = Object(parseToml(text).hooks) as Table;
  return Object.fromEntries(Object.entries(hooks).filter((pair): pair is [string, unknown[]] => Array.isArray(pair[1])));
}

/** The text with our entries and settings as given, and everything else unchanged. Throws `HL_AGENT_FILE` if that is not possible. */
export function mergeToml(
  text: string,
  { entries, settings = [] }: { readonly entries: Lists; readonly settings?: readonly NeededSetting[] },
): string {
  const base = removeToml(text);
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
  result = `${top.length === 0 ? "" : block(top)}${result}${gap}${block([...tail, stringify({ hooks: entries }).trim()])}`;
  checkMerged(result, before, { entries, missing });
  return result;
}

/** Removes our lines. A text in which one of our comments is missing stays as it is: what is ours is not known then. */
export function removeToml(text: string): string {
  const lines = text.split("\n");
  let [isOurs, isBroken] = [false, false];
  const kept = lines.filter((line) => {
    if (line.trim() === BEGIN) {
      isBroken ||= isOurs;
      isOurs = true;
    }
    const isKept = !isOurs;
    if (line.trim() === END) isOurs = false;
    return isKept;
  });
  return isOurs || isBroken ? text : kept.join("\n");
}

/** The events with an entry that is ours. */
export function tomlEvents(text: string, marks: readonly string[]): string[] {
  return Object.entries(tomlLists(text)).flatMap(([event, list]) => (list.some((entry) => isMarked(entry, marks)) ? [event] : []));
}

export function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (Object(value) as Table)[key], values);
}

/** A table that is written in another way, or a header inside a text, would make it another document. */
function checkMerged(
  text: string,
  before: Table,
  { entries, missing }: { readonly entries: Lists; readonly missing: readonly NeededSetting[] },
): void {
  const expected = structuredClone(before) as { [key: string]: unknown };
  for (const { path, value } of missing) {
    const [key = "", inner] = path;
    if (inner === undefined) expected[key] = value;
    else expected[key] = { ...(Object(expected[key]) as Table), [inner]: value };
  }
  const hooks = Object(expected.hooks) as Table;
  const added = Object.entries(entries).map(([event, list]) => [event, [...((hooks[event] as unknown[] | undefined) ?? []), ...list]]);
  expected.hooks = { ...hooks, ...(JSON.parse(JSON.stringify(Object.fromEntries(added))) as Table) };
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

function line({ path, value }: NeededSetting): string {
  return `${path.at(-1)} = ${JSON.stringify(value)}`;
}

function block(lines: readonly string[]): string {
  return `${BEGIN}\n${lines.join("\n")}\n${END}\n`;
}
