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
const MAX_TEXT_LENGTH = 65_536;
/** Each level of nesting is parsed again when it is entered, so the time grows with the depth. */
const MAX_NESTING = 60;

/** A lone surrogate, or the character that a decoder puts in the place of a wrong byte. */
const notUnicode = /[\ud800-\udfff\ufffd]/u;

/** The script, or why the text cannot be read. */
export function parseShell(text: string): ParsedScript | string {
  if (text.length > MAX_TEXT_LENGTH) return `the command is longer than ${MAX_TEXT_LENGTH / 1024} kB`;
  if (text.includes("\0")) return "the command holds a NUL character";
  if (notUnicode.test(text)) return "the command is not valid UTF-8";
  if (isTooDeep(text)) return `the command is nested more than ${MAX_NESTING} levels deep`;
  const script = parse(text);
  return faultOf(script) ?? script;
}

/** Why a script that was found inside another one cannot be read. */
export function faultOf(script: ParsedScript | undefined): string | undefined {
  if (script === undefined) return "a part of the command does not parse";
  const first = script.errors?.[0];
  return first === undefined ? undefined : `the command does not parse: ${first.message}`;
}

/** Calls back for every script inside a node: substitutions in arithmetic, in tests, in patterns. */
export function forEachScript(node: SyntaxNode, found: (script: ParsedScript) => void): void {
  forEachChild(node, (child) => (child.type === "Script" ? found(child) : forEachScript(child, found)));
}

/** Counts brackets, also those in quotes: a text with so many of them is rare, and too deep is only a reason to ask. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let ticks = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x28 || code === 0x7b) {
      if (++depth > MAX_NESTING) return true;
    } else if ((code === 0x29 || code === 0x7d) && depth > 0) depth--;
    else if (code === 0x60 && text.charCodeAt(i - 1) === 0x5c && ++ticks > MAX_NESTING * 4) return true;
  }
  return false;
}
