import { createScanner, type Node } from "jsonc-parser";
import { indentAt, type JsonDocument } from "./json-document.js";

// SyntaxKind.EOF: a const enum cannot be imported.
const END_OF_TEXT = 17;

/** A range of text and its replacement. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

// jsonc-parser's own `modify` reformats the whole line that it edits and drops comments with what it removes. Here no other byte may change.

/** Appends an element to an array or object; `name` is its key in an object. */
export function appended(
  document: JsonDocument,
  container: Node,
  { name, value }: { readonly name?: string; readonly value: unknown },
): string {
  const { text, lineEnd } = document;
  const close = container.offset + container.length - 1;
  const last = container.children?.at(-1);
  const tokens = tokensBetween(text, last === undefined ? container.offset + 1 : endOf(last), close);
  const hasComma = tokens.some(({ isComma }) => isComma);
  const at = tokens.at(-1)?.end ?? (last === undefined ? container.offset + 1 : endOf(last));
  const isBare = last === undefined && at === close;
  const isOnLines = isBare ? !document.isOneLine : text.slice(at, close).includes("\n");
  const indent = isOnLines ? childIndent(document, container) : "";
  const element = `${name === undefined ? "" : `${JSON.stringify(name)}: `}${rendered(document, value, isOnLines ? indent : undefined)}`;
  const lead = isOnLines ? `${lineEnd}${indent}` : last === undefined ? "" : " ";
  const tail = isBare && isOnLines ? `${lineEnd}${indentAt(text, container.offset)}` : "";
  const edits: Edit[] = [{ start: at, end: at, text: `${lead}${element}${hasComma ? "," : ""}${tail}` }];
  if (last !== undefined && !hasComma) edits.unshift({ start: endOf(last), end: endOf(last), text: "," });
  return edited(text, edits);
}

/** Replaces a value. */
export function replaced(document: JsonDocument, node: Node, value: unknown): string {
  const { text } = document;
  const isOnLines = text.slice(node.offset, endOf(node)).includes("\n");
  return edited(text, [
    { start: node.offset, end: endOf(node), text: rendered(document, value, isOnLines ? indentAt(text, node.offset) : undefined) },
  ]);
}

/** Removes one element of an array or object, with the space before it and one comma, but no comment. */
export function removed(text: string, container: Node, node: Node): string {
  const siblings = container.children ?? [];
  const index = siblings.indexOf(node);
  const next = siblings[index + 1];
  const after = tokensBetween(text, endOf(node), next?.offset ?? container.offset + container.length - 1).find(({ isComma }) => isComma);
  const previous = siblings[index - 1];
  const comma = after ?? (previous && tokensBetween(text, endOf(previous), node.offset).find(({ isComma }) => isComma));
  const gap = text.slice(0, node.offset).length - text.slice(0, node.offset).trimEnd().length;
  const edits: Edit[] = [{ start: node.offset - gap, end: endOf(node), text: "" }];
  if (comma !== undefined) edits.push({ start: comma.start, end: comma.end, text: "" });
  return edited(text, edits);
}

/** The text between the brackets. */
export function innerOf(text: string, container: Node): string {
  return text.slice(container.offset + 1, container.offset + container.length - 1);
}

export function withInner(text: string, container: Node, inner: string): string {
  return edited(text, [{ start: container.offset + 1, end: container.offset + container.length - 1, text: inner }]);
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

function childIndent(document: JsonDocument, container: Node): string {
  const { text, step } = document;
  const [first] = container.children ?? [];
  const indent = first === undefined ? "" : indentAt(text, first.offset);
  const isAlone = first !== undefined && text.slice(0, first.offset).endsWith(`\n${indent}`);
  return isAlone ? indent : `${indentAt(text, container.offset)}${step}`;
}

/** On separate lines with an indentation, or on one line. */
function rendered({ step, lineEnd }: JsonDocument, value: unknown, indent: string | undefined): string {
  if (indent === undefined) return JSON.stringify(value);
  return JSON.stringify(value, undefined, step).replaceAll("\n", `${lineEnd}${indent}`);
}

/** Commas and comments: only these can stand between two elements. */
function tokensBetween(
  text: string,
  start: number,
  end: number,
): { readonly start: number; readonly end: number; readonly isComma: boolean }[] {
  const scanner = createScanner(text.slice(start, end), false);
  const found = [];
  while (scanner.scan() !== END_OF_TEXT) {
    const offset = start + scanner.getTokenOffset();
    const value = text.slice(offset, offset + scanner.getTokenLength());
    if (value.trim() !== "") found.push({ start: offset, end: offset + value.length, isComma: value === "," });
  }
  return found;
}

/** Edits at the same position keep their order. */
function edited(text: string, edits: readonly Edit[]): string {
  let result = "";
  let done = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    result += text.slice(done, edit.start) + edit.text;
    done = edit.end;
  }
  return result + text.slice(done);
}
