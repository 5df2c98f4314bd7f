import { badMatch, type Place } from "./bad-match.js";

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
  if (!/[*?[\\]/.test(pattern)) return (text) => text === pattern;
  const tokens = parse(pattern, origin);
  return (text) => matches(tokens, text);
}

/** How many comparisons a match takes, so that a test can bound the work without a clock. */
export function globSteps(pattern: string, text: string): number {
  const counter: StepCounter = { steps: 0 };
  matches(parse(pattern, { text: pattern, at: 0 }), text, counter);
  return counter.steps;
}

const pieces = /\*+|\[([!^]?)((?:\\.|[^\]\\])+)\]|\\?./gsu;

function parse(pattern: string, { text, at }: Place): readonly Token[] {
  return Array.from(pattern.matchAll(pieces), ({ 0: piece, 1: negation, 2: members, index }) => {
    try {
      return members === undefined ? parseCharacter(piece) : parseClass(members, negation);
    } catch (cause) {
      throw badMatch(
        `Not a glob: ${piece} is incomplete or runs backwards. Write \\${piece[0]} for the character itself.`,
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
function parseClass(members: string, negation: string | undefined): RegExp {
  const ranges = members.replace(/\\?(.)/gsu, (pair, character: string) => {
    return character === "-" ? pair : `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
  return new RegExp(`^[${negation && "^"}${ranges}]$`, "u");
}

// Only the last star is ever reconsidered: an earlier one has nothing to gain from taking more. That keeps the work within text × pattern.
function matches(tokens: readonly Token[], text: string, counter?: StepCounter): boolean {
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
    } else if (token !== undefined && accepts(token, code)) {
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
