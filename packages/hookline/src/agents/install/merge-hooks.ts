import { isDeepStrictEqual } from "node:util";
import { HookError } from "@hookline/core";
import type { Node } from "jsonc-parser";
import { appended, innerOf, removed, replaced } from "./edit-text.js";
import { hooksOf, isMarked, listOf, ourNodes, plainValue } from "./hook-lists.js";
import { type JsonDocument, type JsonSyntax, parseDocument } from "./json-document.js";
import { isJson, lineFile } from "./line-file.js";
import { type Container, type OurHooks, ourEvents, removeHooks } from "./remove-hooks.js";
import { SCRIPT } from "./script-file.js";
import type { NeededSetting } from "./toml-hooks.js";

/** What the `hooks` object of an agent's settings should contain. */
export interface WantedHooks extends OurHooks {
  /** Entries by event, in the agent's format. */
  readonly entries: { readonly [event: string]: readonly unknown[] };
  /** What must be set besides `hooks`. */
  readonly settings?: readonly NeededSetting[];
}

export interface Merged {
  readonly text: string;
  readonly containers: readonly Container[];
}

/** The text with our entries as given and everything else unchanged; the same text if they are already there. Throws `HL_AGENT_FILE`. */
export function mergeHooks(text: string, wanted: WantedHooks, known: readonly Container[] = []): Merged {
  const unmarked = Object.keys(wanted.entries).find((event) => wanted.entries[event]?.some((entry) => !isMarked(entry, wanted.marks)));
  if (unmarked !== undefined)
    throw new HookError("HL_BAD_OPTION", `An entry for "${unmarked}" contains none of its marks, so it could not be recognized later.`);
  const { syntax } = wanted;
  const lines = lineFile(syntax);
  if (lines !== undefined) return { text: lines.merge(text, wanted), containers: [] };
  if (!isJson(syntax)) return { text: String(wanted.entries[SCRIPT]?.[0] ?? ""), containers: [] };
  const stale = ourEvents(text, wanted).filter((event) => !Object.hasOwn(wanted.entries, event));
  const [gone, kept] = [known.filter(isFor(stale)), known.filter((container) => !isFor(stale)(container))];
  const start: Merged = { text: removeHooks(text, { ...wanted, events: stale }, gone), containers: kept };
  return Object.entries(wanted.entries).reduce(
    (state, [event, entries]) => mergeEvent(state, { event, entries: plain(entries), marks: wanted.marks, syntax }),
    start,
  );
}

function isFor(events: readonly string[]): (container: Container) => boolean {
  return ({ path: [, event] }) => event !== undefined && events.includes(event);
}

interface EventEntries {
  readonly event: string;
  readonly entries: readonly unknown[];
  readonly marks: readonly string[];
  readonly syntax: JsonSyntax;
}

function mergeEvent(before: Merged, asked: EventEntries): Merged {
  let state = withList(before, asked);
  for (let next = step(state, asked); next !== undefined; next = step(state, asked)) state = next;
  return state;
}

/** The next edit: remove what is too much, rewrite what differs in place, append what is missing. Undefined when nothing is left to do. */
function step(state: Merged, { event, entries, marks, syntax }: EventEntries): Merged | undefined {
  const document = parseDocument(state.text, syntax);
  const list = listOf(document, event);
  if (list === undefined) return undefined;
  const all = ourNodes(list, marks);
  const present = all.filter(({ container }) => container === list).map(({ node }) => node);
  // We never write a handler into a group of another owner in this form.
  const surplus = all.find(({ container, node }) => container !== list || present.indexOf(node) >= entries.length);
  if (surplus !== undefined) return { ...state, text: removed(state.text, surplus.container, surplus.node) };
  const outdated = present.findIndex((node, at) => !isDeepStrictEqual(plainValue(node), entries[at]));
  const old = present[outdated];
  if (old !== undefined) return { ...state, text: replaced(document, old, entries[outdated]) };
  if (present.length === entries.length) return undefined;
  const containers = withContainer(state.containers, document, { node: list, path: ["hooks", event] });
  return { text: appended(document, list, { value: entries[present.length] }), containers };
}

/** Adds `hooks` and the event's list if there is something to put into them. */
function withList(state: Merged, asked: EventEntries): Merged {
  const document = parseDocument(state.text, asked.syntax);
  if (asked.entries.length === 0 || listOf(document, asked.event) !== undefined) return state;
  const hooks = hooksOf(document);
  if (hooks !== undefined) return withMember(state, document, { node: hooks, path: ["hooks"], name: asked.event, value: [] });
  return withList(withMember(state, document, { node: document.root, path: [], name: "hooks", value: {} }), asked);
}

interface Member {
  readonly node: Node;
  readonly path: readonly string[];
  readonly name: string;
  readonly value: unknown;
}

function withMember(state: Merged, document: JsonDocument, { node, path, name, value }: Member): Merged {
  const containers = withContainer(state.containers, document, { node, path });
  return {
    text: appended(document, node, { name, value }),
    containers: [...without(containers, [...path, name]), { path: [...path, name] }],
  };
}

function withContainer(
  known: readonly Container[],
  { text }: JsonDocument,
  { node, path }: Pick<Member, "node" | "path">,
): readonly Container[] {
  const isKnown = known.some((container) => isDeepStrictEqual(container.path, path));
  return isKnown || node.children?.length !== 0 ? known : [...known, { path, was: innerOf(text, node) }];
}

function without(known: readonly Container[], path: readonly string[]): readonly Container[] {
  return known.filter((container) => !isDeepStrictEqual(container.path, path));
}

function plain(entries: readonly unknown[]): readonly unknown[] {
  return JSON.parse(JSON.stringify(entries)) as unknown[];
}
