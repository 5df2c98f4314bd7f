import { badMatch, type Place } from "./bad-match.js";
import { compileSameName, foldCase, foldCode } from "./fold-case.js";

type Token = number | RegExp;
interface StepCounter {
  steps: number;
}

const star = -1;
const anyOne = -2;

/**
 * `*` is any text, `?` one character, `[a-z]` and `[!a]` one of or none of, `\` takes the next character as it is.
 * The whole text must match. `origin` is where the pattern stands in a longer text, for errors.
 */
export function compileGlob(pattern: string, origin: Place = { text: pattern, at: 0 }): (text: string) => boolean {
  if (isPlain(pattern)) return (text) => text === pattern;
  const tokens = parse(pattern, origin);
  return (text) => matches(tokens, text);
}

/** The same for names, whose case does not count. */
export function compileNameGlob(pattern: string, origin?: Place): (name: string) => boolean {
  if (isPlain(pattern)) return compileSameName(pattern);
  const tokens = parse(pattern, origin ?? { text: pattern, at: 0 }, true);
  return (name) => matches(tokens, name, foldCode);
}

/** How many comparisons a match takes, so that a test can bound the work without a clock. */
export function globSteps(pattern: string, text: string): number {
  const counter: StepCounter = { steps: 0 };
  matches(parse(pattern, { text: pattern, at: 0 }), text, undefined, counter);
  return counter.steps;
}

function isPlain(pattern: string): boolean {
  return !/[*?[\\]/.test(pattern);
}

const pieces = /\*+|\[([!^]?)((?:\\.|[^\]\\])+)\]|\\?./gsu;

function parse(pattern: string, { text, at }: Place, isFolded = false): readonly Token[] {
  return Array.from(pattern.matchAll(pieces), ({ 0: piece, 1: negation, 2: members, index }) => {
    try {
      if (members !== undefined) return parseClass(members, negation, isFolded ? "iu" : "u");
      return parseCharacter(isFolded ? foldCase(piece) : piece);
    } catch (cause) {
      throw badMatch(
        `Not a glob: ${piece} is incomplete or has a reversed range. Write \\${piece[0]} for the character itself.`,
        { text, at: at + index },
        cause,
      );
    }
  });
}

function parseCharacter(piece: string): number {
  if (piece[0] === "*") return star;
  if (piece === "?") return anyOne;
  if (piece === "[" || piece === "\\") throw new SyntaxError("Nothing follows.");
  return piece.codePointAt(piece[0] === "\\" ? 1 : 0) as number;
}

// One character against one class: the platform's regular expressions have nothing to backtrack into.
function parseClass(members: string, negation: string | undefined, flags: string): RegExp {
  const ranges = members.replace(/\\?(.)/gsu, (pair, character: string) => {
    return character === "-" ? pair : `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
  return new RegExp(`^[${negation && "^"}${ranges}]$`, flags);
}

// Only the last star is ever reconsidered: an earlier one has nothing to gain from taking more. That keeps the work within text × pattern.
function matches(tokens: readonly Token[], text: string, fold?: (code: number) => number, counter?: StepCounter): boolean {
  let at = 0;
  let index = 0;
  let afterStar = -1;
  let retryAt = 0;
  while (at < text.length) {
    if (counter !== undefined) counter.steps++;
    const token = tokens[index];
    const code = text.codePointAt(at) as number;
    if (token === star) {
      afterStar = ++index;
      retryAt = at;
    } else if (token !== undefined && accepts(token, fold === undefined ? code : fold(code))) {
      index++;
      at += width(code);
    } else if (afterStar < 0) {
      return false;
    } else {
      index = afterStar;
      at = retryAt += width(text.codePointAt(retryAt) as number);
    }
  }
  if (tokens[index] === star) index++;
  return index === tokens.length;
}

function accepts(token: Token, code: number): boolean {
  return typeof token === "number" ? token === code || token === anyOne : token.test(String.fromCodePoint(code));
}

function width(code: number): number {
  return code > 0xffff ? 2 : 1;
}
