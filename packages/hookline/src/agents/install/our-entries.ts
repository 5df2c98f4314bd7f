import type { Node } from "jsonc-parser";
import { plainValue } from "./hook-lists.js";

/** An element that is ours, and the array it is in. */
export interface OurNode {
  readonly container: Node;
  readonly node: Node;
}

/** Our elements of one event's list: whole groups, and single handlers where a group has others', too. */
export function ourNodes(list: Node, marks: readonly string[]): OurNode[] {
  return (list.children ?? []).flatMap((group) => {
    const handlers = handlersOf(group);
    if (handlers === undefined) return isMarked(plainValue(group), marks) ? [{ container: list, node: group }] : [];
    const ours = (handlers.children ?? []).filter((handler) => isMarked(plainValue(handler), marks));
    if (ours.length > 0 && ours.length === handlers.children?.length) return [{ container: list, node: group }];
    return ours.map((node) => ({ container: handlers, node }));
  });
}

/** Agents refuse keys they do not know, so an entry is known by what it runs or calls. */
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
