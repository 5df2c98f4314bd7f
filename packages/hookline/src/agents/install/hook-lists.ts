import { getNodeValue, type Node } from "jsonc-parser";
import { type JsonDocument, memberOf, unreadable } from "./json-document.js";

/** The object with all hooks of an agent's settings. Throws `HL_AGENT_FILE` for something else in its place. */
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
