import type { PathFact } from "./facts.js";
import { escapePattern, type Value } from "./value.js";

/** The folder of a call whose folder is not known: other paths are relative to it. */
export const START = ".";

/** The path that a word names in a folder. Undefined for an empty word, which names nothing. */
export function resolvePath(value: Value, dir: PathFact): PathFact | undefined {
  const isKnown = (dir.glob === undefined && dir.unknown === undefined) || value.text.startsWith("/");
  if (value.pattern === undefined && isKnown) return value.text === "" ? undefined : { path: joinPath(dir.path, value.text) };
  const pattern = value.pattern ?? escapePattern(value.text);
  if (pattern === "") return undefined;
  const isAnywhere = pattern.startsWith("**");
  const isOwn = isAnywhere || pattern.startsWith("/");
  const folder = dir.glob === undefined && dir.unknown === undefined ? escapePattern(dir.path) : dir.path;
  const path = isAnywhere ? pattern : joinPath(folder, pattern);
  const unknown = value.unknown ?? (isOwn ? undefined : dir.unknown);
  return {
    path,
    ...(unknown === undefined ? { glob: true as const } : { unknown }),
    ...(value.isMade === true && { made: true as const }),
  };
}

/** A part that is empty, `.` or `..`. */
const removable = /\/\.{0,2}(?:\/|$)/;

/** Joins and removes `.`, `..` and double slashes. A relative folder stays relative. */
export function joinPath(dir: string, path: string): string {
  const whole = path.startsWith("/") ? path : path === "." && dir !== "" ? dir : `${dir}/${path}`;
  const isAbsolute = whole.startsWith("/");
  if (isAbsolute && !removable.test(whole)) return whole;
  const parts: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== ".." && parts.at(-1) !== "**") parts.pop();
    else if (!isAbsolute) parts.push("..");
  }
  return isAbsolute ? `/${parts.join("/")}` : parts.join("/") || START;
}

type Token = string | typeof ANY_NAME | typeof ANY_TEXT | typeof ONE;
const ANY_NAME = Symbol("*");
const ANY_TEXT = Symbol("**");
const ONE = Symbol("?");

/** A pattern as it is compared. Rules and words are read once, and not once for each comparison. */
export interface PatternTokens {
  readonly tokens: readonly Token[];
  /** How many characters at its beginning and at its end are literal. */
  readonly head: number;
  readonly tail: number;
  /** How long a text must be at least. */
  readonly least: number;
  /** How long a text can be at most. */
  readonly most: number;
}

export function readTokens(pattern: string): PatternTokens {
  const tokens = tokensOf(pattern);
  const first = tokens.findIndex((token) => typeof token !== "string");
  const last = tokens.findLastIndex((token) => typeof token !== "string");
  const stars = tokens.filter((token) => token === ANY_NAME || token === ANY_TEXT).length;
  return {
    tokens,
    head: first < 0 ? tokens.length : first,
    tail: tokens.length - 1 - last,
    least: tokens.length - stars,
    most: stars === 0 ? tokens.length : Number.POSITIVE_INFINITY,
  };
}

/** The product of the lengths of patterns that are compared. */
const MAX_WORK = 200_000;

/**
 * Whether a path of a command is one that a pattern names. A glob matches if it covers such a path. `"unknown"`: it may be one.
 *
 * The pattern is written like the path of a fact: absolute, or relative to a folder that is not known, with `*`, `?`, `[…]` and `**`.
 */
export function pathMatches({ path, glob, unknown }: PathFact, pattern: string): boolean | "unknown" {
  const overlaps = patternsOverlap(
    readTokens(glob === undefined && unknown === undefined ? escapePattern(path) : path),
    readTokens(pattern),
  );
  return overlaps && unknown !== undefined ? "unknown" : overlaps;
}

/**
 * Whether there is a path that both patterns match. `[…]` counts as any one character, because a class that leaves out a name is a way round and
 * not a way to be careful.
 */
export function patternsOverlap(left: PatternTokens, right: PatternTokens): boolean | "unknown" {
  if (left.least > right.most || right.least > left.most || !endsAgree(left, right)) return false;
  const { tokens: a } = left;
  const { tokens: b } = right;
  if (a.length * b.length > MAX_WORK) return "unknown";
  // reached[j]: the first i tokens of a and the first j tokens of b can match the same text.
  let reached = new Array<boolean>(b.length + 1).fill(false);
  reached[0] = true;
  closeOver(reached, b, undefined);
  for (let i = 0; i < a.length; i++) {
    const next = new Array<boolean>(b.length + 1).fill(false);
    const token = a[i] as Token;
    const isStar = token === ANY_NAME || token === ANY_TEXT;
    for (let j = 0; j <= b.length; j++) {
      if (!reached[j]) continue;
      if (isStar) next[j] = true;
      const other = b[j];
      if (other === undefined) continue;
      if (other === ANY_NAME || other === ANY_TEXT) {
        if (isStar || fits(other, token)) next[j] = true;
      } else if (!isStar && (token === ONE || other === ONE ? fits(ONE, token === ONE ? other : token) : token === other))
        next[j + 1] = true;
    }
    closeOver(next, b, isStar ? token : undefined);
    reached = next;
  }
  return reached[b.length] === true;
}

/** Most patterns differ in the characters that both begin or end with. */
function endsAgree({ tokens: a, head, tail }: PatternTokens, { tokens: b, head: otherHead, tail: otherTail }: PatternTokens): boolean {
  for (let i = Math.min(head, otherHead) - 1; i >= 0; i--) if (a[i] !== b[i]) return false;
  for (let i = Math.min(tail, otherTail); i > 0; i--) if (a[a.length - i] !== b[b.length - i]) return false;
  return true;
}

/** A star of b may match nothing; a star of a may match as many tokens of b as it takes. */
function closeOver(reached: boolean[], b: readonly Token[], star: Token | undefined): void {
  for (let j = 0; j < b.length; j++) {
    if (!reached[j]) continue;
    const other = b[j] as Token;
    if (other === ANY_NAME || other === ANY_TEXT || (star !== undefined && fits(star, other))) reached[j + 1] = true;
  }
}

function fits(star: Token, other: Token): boolean {
  return star === ANY_TEXT || other !== "/";
}

function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i] as string;
    if (char === "\\") tokens.push(pattern[++i] ?? "\\");
    else if (char === "?") tokens.push(ONE);
    else if (char === "[" && pattern.indexOf("]", i + 2) > 0) {
      tokens.push(ONE);
      i = pattern.indexOf("]", i + 2);
    } else if (char !== "*") tokens.push(char);
    else if (pattern[i + 1] === "*") {
      tokens.push(ANY_TEXT);
      while (pattern[i + 1] === "*") i++;
    } else tokens.push(ANY_NAME);
  }
  return tokens;
}
