import { HookError } from "@hookline/core";
import { applyEdits, modify, type Node, type ParseError, parse as parseJsonc, parseTree, printParseErrorCode } from "jsonc-parser";

/** What an agent's parser accepts besides plain JSON. */
export interface JsonSyntax {
  readonly comments: boolean;
  readonly trailingCommas: boolean;
  readonly byteOrderMark: boolean;
}

/** For parsers that accept plain JSON only: most silently ignore a file with a comment or a trailing comma, and run none of its hooks. */
export const plainJson: JsonSyntax = { comments: false, trailingCommas: false, byteOrderMark: false };

/** A file's text and its formatting, for edits in the same style. */
export interface JsonDocument {
  readonly text: string;
  readonly root: Node;
  readonly lineEnd: string;
  /** One step of indentation. */
  readonly step: string;
  /** The document is on one line, and so are additions. */
  readonly isOneLine: boolean;
}

/** Parses the text as the agent would. Throws `HL_AGENT_FILE` with the position of what the agent could not read either. */
export function parseDocument(text: string, syntax: JsonSyntax): JsonDocument {
  const errors: ParseError[] = [];
  const root = parse(text, errors, syntax);
  const [first] = errors;
  if (first !== undefined) throw unreadable(text, first.offset, inWords(printParseErrorCode(first.error)));
  if (root === undefined) throw unreadable(text, 0, "value expected");
  if (root.type !== "object") throw unreadable(text, root.offset, `${root.type} where an object is expected`);
  const inner = text.slice(root.offset, root.offset + root.length);
  const isOneLine = root.children?.length !== 0 && !inner.includes("\n");
  return { text, root, lineEnd: /\r?\n/.exec(text)?.[0] ?? "\n", step: stepOf(text, root), isOneLine };
}

/** The value of an agent's settings. Undefined for a text that is not JSON, also if comments are allowed. */
export function readSettings(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parseJsonc(text.replace(/^\ufeff/, ""), errors, { allowTrailingComma: true });
  return errors.length === 0 ? value : undefined;
}

/** The text with one more setting. */
export function withSetting(text: string, path: readonly (string | number)[], value: unknown): string {
  const { step, lineEnd } = parseDocument(text, { comments: true, trailingCommas: true, byteOrderMark: true });
  const formattingOptions = { insertSpaces: !step.startsWith("\t"), tabSize: step.length, eol: lineEnd };
  return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
}

/** The text without one setting, also if it is there several times: then parsers take the last one. */
export function withoutSetting(text: string, path: readonly string[]): string {
  const rest = applyEdits(text, modify(text, [...path], undefined, {}));
  return rest === text ? text : withoutSetting(rest, path);
}

/** `CloseBraceExpected` as `close brace expected`. */
function inWords(code: string): string {
  return code.replace(/(?<=.)[A-Z]/g, " $&").toLowerCase();
}

/** Line and column of an offset, as editors count them. */
function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** The indentation of the line. */
export function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? "";
}

/** The member of an object with this name. Throws for a duplicate name, because parsers differ on which one counts. */
export function memberOf(text: string, object: Node, name: string): Node | undefined {
  const found = (object.children ?? []).filter(({ children }) => children?.[0]?.value === name);
  const [first, second] = found;
  if (second !== undefined) throw unreadable(text, second.offset, `"${name}" occurs twice`);
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
