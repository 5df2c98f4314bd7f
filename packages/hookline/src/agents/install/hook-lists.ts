import { getNodeValue, type Node } from "jsonc-parser";
import { type JsonDocument, memberOf, unreadable } from "./json-document.js";

/** The `hooks` object of an agent's settings. Throws `HL_AGENT_FILE` if it is not an object. */
export function hooksOf({ text, root }: JsonDocument): Node | undefined {
  return expected(text, root, { name: "hooks", type: "object" });
}

/** The array with the entries of one event. */
export function listOf(document: JsonDocument, event: string): Node | undefined {
  const hooks = hooksOf(document);
  return hooks && expected(document.text, hooks, { name: event, type: "array" });
}

export function eventNames(document: JsonDocument): string[] {
  return [...new Set((hooksOf(document)?.children ?? []).map(({ children }) => String(children?.[0]?.value)))];
}

/** The value as `JSON.parse` would give it. */
export function plainValue(node: Node): unknown {
  return JSON.parse(JSON.stringify(getNodeValue(node)));
}

function expected(text: string, object: Node, { name, type }: { readonly name: string; readonly type: string }): Node | undefined {
  const [, value] = memberOf(text, object, name)?.children ?? [];
  if (value === undefined || value.type === type) return value;
  throw unreadable(text, value.offset, `"${name}" is of type ${value.type}, where the agent expects an ${type}`);
}

/** An element that is ours, and the array it is in. */
export interface OurNode {
  readonly container: Node;
  readonly node: Node;
}

/** Our elements in the list of one event: whole groups, or single handlers in groups that also contain others. */
export function ourNodes(list: Node, marks: readonly string[]): OurNode[] {
  return (list.children ?? []).flatMap((group) => {
    const handlers = handlersOf(group);
    if (handlers === undefined) return isMarked(plainValue(group), marks) ? [{ container: list, node: group }] : [];
    const ours = (handlers.children ?? []).filter((handler) => isMarked(plainValue(handler), marks));
    if (ours.length > 0 && ours.length === handlers.children?.length) return [{ container: list, node: group }];
    return ours.map((node) => ({ container: handlers, node }));
  });
}

/** Agents reject unknown keys, so an entry is recognized by what it runs or calls. */
export function isMarked(value: unknown, marks: readonly string[]): boolean {
  return strings(value).some((text) => marks.some((mark) => text.includes(mark)));
}

function handlersOf(group: Node): Node | undefined {
  const member = group.type === "object" ? group.children?.find(({ children }) => children?.[0]?.value === "hooks") : undefined;
  const [, value] = member?.children ?? [];
  return value?.type === "array" ? value : undefined;
}

function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}
