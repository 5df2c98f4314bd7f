import { HookError } from "@hookline/core";
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

/** What an agent's reader takes besides plain JSON. */
export interface JsonSyntax {
  readonly comments: boolean;
  readonly trailingCommas: boolean;
  readonly byteOrderMark: boolean;
}

/** Readers that take nothing else: most pass over a file with a comment or a trailing comma silently, and run none of its hooks. */
export const plainJson: JsonSyntax = { comments: false, trailingCommas: false, byteOrderMark: false };

/** A file's text, as far as it is needed to write into it in its own manner. */
export interface JsonDocument {
  readonly text: string;
  readonly root: Node;
  readonly lineEnd: string;
  /** One step of indentation. */
  readonly step: string;
  /** All of it is in one line, and so is what is added. */
  readonly isOneLine: boolean;
}

/** Reads the text as the agent would. Throws `HL_AGENT_FILE` with the place of what the agent could not read either. */
export function parseDocument(text: string, syntax: JsonSyntax): JsonDocument {
  const errors: ParseError[] = [];
  const root = parse(text, errors, syntax);
  const [first] = errors;
  if (first !== undefined) throw unreadable(text, first.offset, printParseErrorCode(first.error));
  if (root === undefined) throw unreadable(text, 0, "ValueExpected");
  if (root.type !== "object") throw unreadable(text, root.offset, `${root.type} where an object is expected`);
  const inner = text.slice(root.offset, root.offset + root.length);
  const isOneLine = root.children?.length !== 0 && !inner.includes("\n");
  return { text, root, lineEnd: /\r?\n/.exec(text)?.[0] ?? "\n", step: stepOf(text, root), isOneLine };
}

/** Line and column of an offset, as editors count them. */
function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** What stands before the first character of the line. */
export function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? "";
}

/** The member of an object under a name; throws for a name that is there twice, since readers differ on which counts. */
export function memberOf(text: string, object: Node, name: string): Node | undefined {
  const found = (object.children ?? []).filter(({ children }) => children?.[0]?.value === name);
  const [first, second] = found;
  if (second !== undefined) throw unreadable(text, second.offset, `"${name}" is there a second time`);
  return first;
}

export function unreadable(text: string, offset: number, what: string): HookError {
  return new HookError("HL_AGENT_FILE", `${placeOf(text, offset)}: ${what}`, { position: offset });
}

function parse(text: string, errors: ParseError[], { comments, trailingCommas }: JsonSyntax): Node | undefined {
  try {
    return parseTree(text, errors, { disallowComments: !comments, allowTrailingComma: trailingCommas });
  } catch {
    throw unreadable(text, 0, "nested too deep");
  }
}

function stepOf(text: string, root: Node): string {
  const [first] = root.children ?? [];
  const indent = first === undefined ? "" : indentAt(text, first.offset);
  const isAlone = first !== undefined && text.slice(0, first.offset).endsWith(`\n${indent}`);
  return isAlone && indent !== "" ? indent : "  ";
}
