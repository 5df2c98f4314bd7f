import { forEachChild, type ParsedScript, parse, type SyntaxNode } from "unbash";

export type {
  ArithmeticExpression,
  Assignment,
  Command,
  CommandNode,
  CompoundList,
  ParameterExpansionPart,
  ParsedScript,
  PipelineNode,
  Redirection,
  Statement,
  SyntaxNode,
  Word,
  WordPart,
} from "unbash";

/** The longest text that is parsed. */
export const MAX_TEXT_LENGTH = 65_536;
/** Each level of nesting is parsed again when it is entered, so the time grows with the depth. */
const MAX_NESTING = 60;

/** A lone surrogate, or the character that a decoder puts in the place of a wrong byte. */
const notUnicode = /[\ud800-\udfff\ufffd]/u;

/** `;`, `|` and `&`: the parser takes longer for these than for other text. */
const MAX_SEPARATORS = 4_000;

/** The script, or why the text cannot be read. A script that does not parse has a fault, and what the parser makes of it. */
export function parseShell(text: string): ParsedScript | string {
  return textFault(text) ?? shapeFault(text) ?? parse(text);
}

/** Why a script does not parse. With its whole text, it says where. */
export function faultOf(script: ParsedScript | undefined, text?: string): string | undefined {
  if (script === undefined) return "a part of the command does not parse";
  const first = script.errors?.[0];
  if (first === undefined) return undefined;
  const place = text === undefined ? "" : ` at ${placeIn(text, first.pos)}`;
  const open = OPENED[first.message];
  return open === undefined ? `it does not parse${place}: ${first.message}` : `the ${open}${place} is not closed`;
}

/** What the parser calls what is not closed, and its name for people. */
const OPENED: { readonly [message: string]: string } = {
  "unterminated single quote": "quote",
  "unterminated double quote": "quote",
  "unterminated ANSI-C quote": "quote",
  "unterminated backtick": "backquote",
  "unterminated command substitution": "$(",
  "unterminated parameter expansion": "${",
  "unterminated arithmetic expansion": "$((",
};

function placeIn(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  const column = at - before.lastIndexOf("\n");
  return line === 1 ? `column ${column}` : `line ${line}, column ${column}`;
}

/** Calls back for every script inside a node: substitutions in arithmetic, in tests, in patterns. */
export function forEachScript(node: SyntaxNode, found: (script: ParsedScript) => void): void {
  forEachChild(node, (child) => (child.type === "Script" ? found(child) : forEachScript(child, found)));
}

/** Why a text is not read, whatever it says. */
export function textFault(text: string): string | undefined {
  if (text.length > MAX_TEXT_LENGTH) return `the command is longer than ${MAX_TEXT_LENGTH / 1024} kB`;
  if (text.includes("\0")) return "the command holds a NUL character";
  return notUnicode.test(text) ? "the command is not valid UTF-8" : undefined;
}

/** Counts brackets and separators, also those in quotes: a text with so many of them is rare, and it is only a reason to ask. */
function shapeFault(text: string): string | undefined {
  let depth = 0;
  let ticks = 0;
  let separators = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x28 || code === 0x7b) {
      if (++depth > MAX_NESTING) return `the command is nested more than ${MAX_NESTING} levels deep`;
    } else if (code === 0x29 || code === 0x7d) {
      if (depth > 0) depth--;
    } else if (code === 0x60) {
      if (text.charCodeAt(i - 1) === 0x5c && ++ticks > MAX_NESTING) return "the command has too many nested backquotes";
    } else if (code === 0x3b || code === 0x7c || code === 0x26) {
      if (++separators > MAX_SEPARATORS) return `the command has more than ${MAX_SEPARATORS} separators`;
    }
  }
  return undefined;
}
