import { isDeepStrictEqual } from "node:util";
import { HookError } from "@hookline/core";
import { isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from "yaml";
import { commentBlock, withoutBlocks } from "./comment-block.js";
import { isMarked } from "./hook-lists.js";

/** An agent's file in YAML. Our lines are between two comments. */
export interface YamlSyntax {
  readonly yaml: true;
}

type Table = { readonly [key: string]: unknown };
type Lists = { readonly [event: string]: readonly unknown[] };

interface WantedYaml {
  readonly entries: Lists;
  readonly marks: readonly string[];
}

/** The entries of all events. Throws `HL_AGENT_FILE` for a text that is not YAML. */
export function yamlLists(text: string): Lists {
  const hooks = Object(readYaml(text).hooks) as Table;
  return Object.fromEntries(Object.entries(hooks).filter((pair): pair is [string, unknown[]] => Array.isArray(pair[1])));
}

/** The text with our entries as given, and everything else unchanged. Throws `HL_AGENT_FILE` if that is not possible. */
export function mergeYaml(text: string, { entries, marks }: WantedYaml): string {
  const base = removeYaml(text, marks);
  const before = readYaml(base);
  const result = added(base, entries);
  const expected = { ...before, hooks: joined(Object(before.hooks) as Table, entries) };
  // A value that is written in another form would make it another document.
  if (result !== undefined && isDeepStrictEqual(tryYaml(result), expected)) return result;
  throw fault('"hooks" is written in a form that cannot be added to: write each event and each hook on lines of their own');
}

/** Removes our lines, also those that the agent has written again without our comments. */
export function removeYaml(text: string, marks: readonly string[]): string {
  const rest = withoutBlocks(text);
  const lists = yamlLists(rest);
  const isOurs = (entry: unknown): boolean => isMarked(entry, marks);
  if (!Object.values(lists).flat().some(isOurs)) return rest;
  const value = readYaml(rest);
  const kept = Object.entries(Object(value.hooks) as Table).flatMap(([event, list]) => {
    const left = Array.isArray(list) ? list.filter((entry) => !isOurs(entry)) : list;
    return Array.isArray(left) && left.length === 0 && (lists[event] ?? []).length > 0 ? [] : [[event, left] as const];
  });
  const { hooks: _, ...others } = value;
  const result = withoutLines(rest, oursIn(rest, isOurs));
  if (isDeepStrictEqual(tryYaml(result), { ...others, ...(kept.length > 0 && { hooks: Object.fromEntries(kept) }) })) return result;
  throw fault("Hookline's hooks are written in a form that cannot be removed: remove them there");
}

function added(text: string, entries: Lists): string | undefined {
  const pair = hooksPair(text);
  if (pair === undefined)
    return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${commentBlock(["hooks:", ...linesOf(entries, "  ")])}`;
  if (isEmpty(pair.value)) {
    const line = lineAt(text, startOf(pair.key));
    return inserted(text, {
      at: line.start,
      to: line.end,
      block: commentBlock(["hooks:", ...linesOf(entries, "  ")], { instead: line.text }),
    });
  }
  return isMap(pair.value) && pair.value.flow !== true ? addedTo(text, pair.value, entries) : undefined;
}

/** Events that the file has get our entry before their first one. The others come before the first event. */
function addedTo(text: string, map: YAMLMap, entries: Lists): string | undefined {
  const first = lineAt(text, startOf(map.items[0]?.key));
  const known = map.items.filter(({ key }) => Object.hasOwn(entries, String(key)));
  const lists = known.map(({ key, value }) => ({ event: String(key), value }));
  if (lists.some(({ value }) => !isSeq(value) || value.flow === true || value.items.length === 0)) return undefined;
  const missing = Object.fromEntries(Object.entries(entries).filter(([event]) => !lists.some((list) => list.event === event)));
  const edits = lists.map(({ event, value }) => {
    const line = lineAt(text, startOf(isSeq(value) ? value.items[0] : undefined));
    return { at: line.start, to: line.start, block: commentBlock(itemLines(entries[event] ?? [], ""), { indent: line.indent }) };
  });
  const own =
    Object.keys(missing).length === 0
      ? []
      : [{ at: first.start, to: first.start, block: commentBlock(linesOf(missing, ""), { indent: first.indent }) }];
  // The last one first, so that the places of the others stay.
  return [...own, ...edits].sort((a, b) => b.at - a.at).reduce(inserted, text);
}

/** The lines of our entries that have lost their comments: items, whole lists, or all hooks. */
function oursIn(text: string, isOurs: (entry: unknown) => boolean): readonly (readonly [from: number, to: number])[] {
  const pair = hooksPair(text);
  if (pair === undefined || !isMap(pair.value)) return [];
  const events = pair.value.items;
  const end = endOf(text, pair.value);
  const lists = events.map(({ key, value }, at) => {
    const next = events[at + 1];
    const to = next === undefined ? end : lineAt(text, startOf(next.key)).start;
    const items = isSeq(value) ? value.items : [];
    const starts = [...items.map((item) => lineAt(text, startOf(item)).start), to];
    const ours = items.flatMap((item, index) => (isOurs(toPlain(item)) ? [[starts[index] ?? to, starts[index + 1] ?? to] as const] : []));
    const isWhole = ours.length > 0 && ours.length === items.length;
    return { isWhole, ranges: isWhole ? [[lineAt(text, startOf(key)).start, to] as const] : ours };
  });
  return lists.every(({ isWhole }) => isWhole) ? [[lineAt(text, startOf(pair.key)).start, end]] : lists.flatMap(({ ranges }) => ranges);
}

function withoutLines(text: string, ranges: readonly (readonly [number, number])[]): string {
  return [...ranges].sort(([a], [b]) => b - a).reduce((rest, [from, to]) => rest.slice(0, from) + rest.slice(to), text);
}

interface Edit {
  readonly at: number;
  readonly to: number;
  readonly block: string;
}

function inserted(text: string, { at, to, block }: Edit): string {
  return text.slice(0, at) + block + text.slice(to);
}

function linesOf(entries: Lists, indent: string): readonly string[] {
  return Object.entries(entries).flatMap(([event, list]) => [`${indent}${event}:`, ...itemLines(list, `${indent}  `)]);
}

/** The text of a value is JSON, which every reader of YAML reads in the same way. */
function itemLines(list: readonly unknown[], indent: string): readonly string[] {
  return list.flatMap((entry) =>
    Object.entries(Object(entry) as Table).map(([key, value], at) => `${indent}${at === 0 ? "- " : "  "}${key}: ${JSON.stringify(value)}`),
  );
}

function joined(hooks: Table, entries: Lists): Table {
  const plain = JSON.parse(JSON.stringify(entries)) as Lists;
  const ours = Object.entries(plain).map(([event, list]) => [event, [...list, ...((hooks[event] as unknown[] | undefined) ?? [])]]);
  return { ...hooks, ...(Object.fromEntries(ours) as Table) };
}

function hooksPair(text: string): Pair | undefined {
  const { contents } = parseDocument(text);
  return isMap(contents) ? (contents as YAMLMap).items.find(({ key }) => isScalar(key) && key.value === "hooks") : undefined;
}

function isEmpty(value: unknown): boolean {
  return value === null || (isScalar(value) && value.value === null) || (isMap(value) && value.items.length === 0);
}

/** Throws `HL_AGENT_FILE` with the position of what the agent could not read either. */
function readYaml(text: string): Table {
  const document = parseDocument(text, { merge: true });
  const [error] = document.errors;
  if (error !== undefined) throw fault(error.message.split("\n")[0] ?? "not YAML", error.pos[0]);
  const value: unknown = document.toJS() ?? {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw fault("a value where a mapping is expected");
  return value as Table;
}

function tryYaml(text: string): Table | undefined {
  try {
    return readYaml(text);
  } catch {
    return undefined;
  }
}

function toPlain(node: unknown): unknown {
  return (node as { toJSON?: () => unknown } | null)?.toJSON?.();
}

function startOf(node: unknown): number {
  return (node as { range?: readonly number[] | null } | undefined)?.range?.[0] ?? 0;
}

/** After the last line of a node. */
function endOf(text: string, node: unknown): number {
  const end = (node as { range?: readonly number[] | null }).range?.[1] ?? 0;
  return lineAt(text, Math.max(0, end - 1)).end;
}

/** The line of an offset, with its end. */
function lineAt(
  text: string,
  offset: number,
): { readonly start: number; readonly end: number; readonly text: string; readonly indent: string } {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const stop = text.indexOf("\n", offset);
  const line = text.slice(start, stop < 0 ? undefined : stop);
  return { start, end: stop < 0 ? text.length : stop + 1, text: line, indent: /^ */.exec(line)?.[0] ?? "" };
}

function fault(what: string, position = 0): HookError {
  return new HookError("HL_AGENT_FILE", what, { position });
}
