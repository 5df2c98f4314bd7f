import type { RegexEngine } from "@hookline/core";
import { RE2JS } from "re2js";

/**
 * The engine for patterns from files: RE2 takes time linear in the text, whatever the pattern. `compile` refuses patterns that need
 * backtracking (look-around, backreferences) and never changes their meaning silently.
 */
export const linearRegex: RegexEngine = {
  compile(source) {
    const compiled = compileRe2(toRe2(source));
    return { test: (text) => compiled.test(text) };
  },
};

/** Replaces every match with a text, in linear time; `$1` in the text is the first group. */
export function compileReplacement(source: string, replacement: string): (text: string) => string {
  const compiled = compileRe2(toRe2(source));
  return (text) => compiled.matcher(text).replaceAll(replacement);
}

function compileRe2(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (cause) {
    const reason = String((cause as Error).message).replace(/^error parsing regexp: /, "");
    const hint = /Perl syntax|escape sequence/.test(reason) ? "; RE2 has no look-around and no backreferences" : "";
    throw new SyntaxError(`This is not a regular expression: ${reason}${hint}`, { cause });
  }
}

// RE2JS.translateRegExp is not used: it turns the backreference `\k<name>` into the literal text "k<name>", which silently matches nothing.
const ESCAPE =
  /\\Q.*?(?:\\E|$)|\\u\{([\da-fA-F]+)\}|\\u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})|\\u([\da-fA-F]{4})|\\c([a-zA-Z])|\\./gs;

/** Translates JavaScript's character escapes to RE2's. */
function toRe2(source: string): string {
  return source.replace(ESCAPE, (whole, braced?: string, high?: string, low?: string, plain?: string, control?: string) => {
    if (high !== undefined && low !== undefined) return codePoint(surrogates(high, low));
    if (control !== undefined) return codePoint(control.charCodeAt(0) % 32);
    const hex = braced ?? plain;
    return hex === undefined ? whole : codePoint(Number.parseInt(hex, 16));
  });
}

function surrogates(high: string, low: string): number {
  return 0x10000 + ((Number.parseInt(high, 16) & 0x3ff) << 10) + (Number.parseInt(low, 16) & 0x3ff);
}

function codePoint(code: number): string {
  return `\\x{${code.toString(16)}}`;
}
