import { compileGlob } from "@hookline/core/internal";
import type { Name, Subject } from "./path-subject.js";
import { type PatternTokens, patternsOverlap, readTokens } from "./paths.js";

/** `a{b,c}` is `ab` and `ac`. */
export function alternatives(path: string): readonly string[] {
  const found = /^(.*?)\{([^{}]*)\}(.*)$/.exec(path);
  if (found === null) return [path];
  const [, before = "", inside = "", after = ""] = found;
  return inside.split(",").flatMap((part) => alternatives(`${before}${part}${after}`));
}

interface Segment {
  readonly text: string;
  readonly tokens: PatternTokens;
  /** For a glob. */
  readonly test?: (name: string) => boolean;
}

export interface Pattern {
  readonly isExcluded: boolean;
  /** Where it begins: at the root, in a home folder, in the folder of the call, above that, or in any folder. */
  readonly from: "root" | "home" | "call" | "above" | "anywhere";
  readonly segments: readonly Segment[];
  /** It covers everything below, too. */
  readonly isTree: boolean;
}

export function readPattern(text: string): Pattern {
  const isExcluded = text.startsWith("!");
  const path = text.slice(isExcluded ? 1 : 0).toLowerCase();
  const isTree = path === "**" || path.endsWith("/**");
  const from = beginningOf(path);
  const names = path
    .slice(from === "home" ? 1 : 0, isTree ? -2 : undefined)
    .split("/")
    .filter((name) => name !== "" && name !== ".");
  const deep = names.indexOf("**");
  if (deep === 0 && from === "anywhere")
    throw new SyntaxError(`"${text}" begins with "**", and a relative path counts in any folder anyway: write "${path.slice(3)}"`);
  if (deep >= 0) throw new SyntaxError(`"${text}" has "**" before its end; only the last part of a path can be "**"`);
  if (path === "" || (names.includes("..") && from !== "above")) throw new SyntaxError(`"${text}" is not a path`);
  return { isExcluded, from, segments: from === "above" ? [] : names.map(readSegment), isTree };
}

function beginningOf(path: string): Pattern["from"] {
  if (path === "..") return "above";
  if (path.startsWith("/") || /^[a-z]:/.test(path)) return "root";
  if (/^~(?:\/|$)/.test(path)) return "home";
  return /^\.(?:\/|$)/.test(path) ? "call" : "anywhere";
}

function readSegment(text: string): Segment {
  const tokens = readTokens(text);
  return /[*?[]/.test(text) ? { text, tokens, test: compileGlob(text) } : { text, tokens };
}

export type Found = typeof NO | typeof MAYBE | typeof YES;
export const NO = 0;
export const MAYBE = 1;
export const YES = 2;

export function match(subject: Subject, pattern: Pattern): Found {
  const { names, isAbsolute, isOpen, home, call, isRecursive, isScattered } = subject;
  // To find and delete in a project is daily work; all over the machine or the home folder it is not.
  if (isScattered && pattern.from !== "root" && pattern.from !== "home") return NO;
  switch (pattern.from) {
    case "above":
      return call === "above" ? surely(subject) : NO;
    case "call":
      return call === undefined || call === "above" ? NO : fits(subject, call, pattern);
    case "root":
      if (isOpen) return Math.min(MAYBE, fits(subject, names, pattern)) as Found;
      return isAbsolute ? fits(subject, names, pattern) : NO;
    case "home":
      if (isOpen) return Math.min(MAYBE, fits(subject, names, pattern)) as Found;
      if (home !== undefined) return fits(subject, home, pattern);
      if (!isAbsolute) return endsLike(subject, pattern, 0);
      return isRecursive && isAboveHomes(names) ? surely(subject) : NO;
    case "anywhere":
      return endsWith(subject, pattern) || endsLike(subject, pattern, 1);
  }
}

function surely({ isCut }: Subject): Found {
  return isCut ? MAYBE : YES;
}

function isAboveHomes(names: readonly Name[]): boolean {
  return names.length === 0 || (names.length === 1 && ["home", "users"].includes(names[0]?.text ?? ""));
}

/** From the beginning of the path. A folder that is descended into also fits what is below it. */
function fits(subject: Subject, names: readonly Name[], pattern: Pattern): Found {
  const { segments, isTree } = pattern;
  const isBelow = names.length > segments.length;
  if (isBelow ? !isTree : names.length < segments.length && !subject.isRecursive && !subject.isCut) return NO;
  const count = Math.min(names.length, segments.length);
  const found = compare(subject, { names, start: 0, count }, pattern);
  // What is not known may be the rest of the pattern, or something else.
  const isOpenEnd = subject.isCut && (names.length < segments.length ? !subject.isRecursive : names.length === segments.length && !isTree);
  return found === YES && isOpenEnd ? MAYBE : found;
}

/** In any folder: at the end of the path, or for a tree anywhere in it. */
function endsWith(subject: Subject, pattern: Pattern): Found {
  const { segments, isTree } = pattern;
  const last = subject.names.length - segments.length;
  let best: Found = NO;
  for (let start = isTree ? 0 : Math.max(last, 0); start <= last; start++) {
    const found = compare(subject, { names: subject.names, start, count: segments.length }, pattern);
    if (found > best) best = found;
  }
  if (best === NO && subject.isTree) return isAboveIt(subject, pattern);
  return best === YES && subject.isCut && !isTree ? MAYBE : best;
}

/** A folder of a pattern that begins with a hidden one: `.claude`, unlike `config`, holds little else. */
function isAboveIt(subject: Subject, pattern: Pattern): Found {
  const { segments, isExcluded } = pattern;
  if (isExcluded || segments[0]?.text.startsWith(".") !== true) return NO;
  for (let count = Math.min(segments.length - 1, subject.names.length); count > 0; count--) {
    const found = compare(subject, { names: subject.names, start: subject.names.length - count, count }, pattern);
    if (found !== NO) return subject.isCut ? MAYBE : found;
  }
  return NO;
}

/** A relative path in a folder that is not known: its names are those at the end of the pattern. */
function endsLike(subject: Subject, { segments, isTree }: Pattern, least: number): Found {
  const { names, isAbsolute, isOpen } = subject;
  const start = segments.length - names.length;
  if (isAbsolute || isOpen || isTree || names.length === 0 || start < least) return NO;
  return names.every((name, i) => name.kind === "exact" && isSame(name, segments[start + i] as Segment)) ? MAYBE : NO;
}

interface Part {
  readonly names: readonly Name[];
  readonly start: number;
  readonly count: number;
}

function compare({ isUnknown }: Subject, { names, start, count }: Part, { segments, isExcluded, from }: Pattern): Found {
  let isSure = true;
  for (let i = 0; i < count; i++) {
    const name = names[start + i] as Name;
    const segment = segments[i] as Segment;
    if (name.kind === "exact" || isExcluded ? !isSame(name, segment) : !couldBe(name, segment, i > 0 || from !== "anywhere", isUnknown))
      return NO;
    if (name.kind !== "exact" && isUnknown) isSure = false;
  }
  return isSure ? YES : MAYBE;
}

/** For a pattern that excludes, a glob must be written as the pattern is: `*.pub`. */
function isSame({ text }: Name, { text: wanted, test }: Segment): boolean {
  return test === undefined ? text === wanted : test(text);
}

function couldBe(
  { text, kind, tokens }: Name,
  { text: wanted, test, tokens: own }: Segment,
  isInNamedFolder: boolean,
  isUnknown: boolean,
): boolean {
  const isOpen = /^[*?[]/.test(text);
  // `dist/*` and `*.json` could be any name at all. They count only in a folder that the pattern names.
  if ((kind === "any" || isOpen) && !isInNamedFolder) return false;
  // No glob covers a leading dot that it does not write.
  if (isOpen && (wanted.startsWith(".") || (kind === "some" && test !== undefined))) return false;
  // `index.*` is not about `*.pem`: a glob that a person writes for such files ends as they do.
  if (!isUnknown && test !== undefined && wanted.startsWith("*") && !text.endsWith(wanted.slice(wanted.lastIndexOf("*") + 1))) return false;
  return tokens === undefined || patternsOverlap(tokens, own) !== false;
}
