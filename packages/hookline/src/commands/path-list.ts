import { homedir } from "node:os";
import { compileGlob } from "@hookline/core/internal";
import { didYouMean } from "@hookline/core/internal/text";
import type { PathFact } from "./facts.js";
import { type PathSets, pathSets } from "./path-sets.js";
import { pathMatches } from "./paths.js";

/** How a path is compared. */
export interface PathUse {
  /** The folder of the call, if it is known. */
  readonly cwd?: string | undefined;
  /** The folder that the command runs in. */
  readonly dir?: PathFact | undefined;
  /** The command descends into subfolders, so a folder stands for everything below it. */
  readonly isRecursive?: boolean | undefined;
  /** The command reads the path. */
  readonly isRead?: boolean | undefined;
}

/** Whether a list has a path: `true`, `false`, or why that is not known. */
export interface PathTest {
  (path: PathFact, use?: PathUse): boolean | string;
  /** What the list includes. Undefined: everything that it does not exclude. */
  readonly included: readonly Pattern[] | undefined;
}

/**
 * Compiles the paths, patterns and names of sets that a rule lists, in the syntax that `path-sets.ts` describes. `.` is the folder of the call,
 * or one outside of it that the command has changed to, and `..` is every folder above it. Throws for an unknown set and for what is not a path.
 */
export function compilePathList(paths: readonly string[], more: PathSets = {}): PathTest {
  const key = JSON.stringify([paths, more]);
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const made = compile(paths, more);
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(key, made);
  return made;
}

/** Many rules name the same sets. */
const compiled = new Map<string, PathTest>();
const MAX_COMPILED = 2_000;

function compile(paths: readonly string[], more: PathSets): PathTest {
  const patterns = paths
    .flatMap((path) => membersOf(path, more))
    .flatMap(alternatives)
    .map(readPattern);
  const included = patterns.filter(({ isExcluded }) => !isExcluded);
  const index = indexOf(included);
  const excluded = patterns.filter(({ isExcluded }) => isExcluded);
  const isAll = excluded.length === patterns.length;
  const test = (path: PathFact, use: PathUse = noUse): boolean | string => {
    const subject = subjectOf(path, use);
    const found = isAll ? YES : bestMatch(subject, index);
    if (found === NO || excluded.some((pattern) => match(subject, pattern) === YES)) return false;
    return found === YES || (path.unknown ?? FOLDER_UNKNOWN);
  };
  return Object.assign(test, { included: isAll ? undefined : included });
}

/** Many lists as one: a path is compared once with all their patterns, and not once for each list. */
export interface PathListIndex {
  /** Adds the numbers of the lists that may have the path. False: each list must be asked itself. */
  find(path: PathFact, use: PathUse, into: Set<number>): boolean;
}

interface SharedPattern extends Pattern {
  readonly lists: number[];
}

export function indexPathLists(tests: readonly PathTest[]): PathListIndex {
  const shared = new Map<string, SharedPattern>();
  const always: number[] = [];
  for (const [number, { included }] of tests.entries()) {
    if (included === undefined) always.push(number);
    for (const pattern of included ?? []) {
      const key = `${pattern.from} ${pattern.isTree} ${pattern.segments.map(({ text }) => text).join("/")}`;
      const known = shared.get(key);
      if (known === undefined) shared.set(key, { ...pattern, lists: [number] });
      else known.lists.push(number);
    }
  }
  const index = indexOf([...shared.values()]);
  return {
    find(path, use, into) {
      const subject = readSubject(path, use);
      if (!isPlain(subject)) return false;
      for (const number of always) into.add(number);
      for (const patterns of candidatesOf(subject, index))
        for (const pattern of patterns) if (match(subject, pattern) !== NO) for (const number of pattern.lists) into.add(number);
      return true;
    },
  };
}

const noUse: PathUse = {};
const subjects = new WeakMap<PathFact, Subject>();

function isSameUse(one: PathUse, other: PathUse): boolean {
  return one.cwd === other.cwd && one.dir === other.dir && one.isRecursive === other.isRecursive && one.isRead === other.isRead;
}

/** The path as it is compared, read once for all rules. */
function subjectOf(path: PathFact, use: PathUse): Subject {
  const known = subjects.get(path);
  if (known !== undefined && isSameUse(known.use, use)) return known;
  const made = readSubject(path, use);
  subjects.set(path, made);
  return made;
}

const FOLDER_UNKNOWN = "the folder of the call is not known";

const SET = /^(!?)@([\w-]+)(\/\*\*)?$/;

/** The sets that a list names. */
export function setsIn(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => SET.exec(path)?.[2] ?? []);
}

function membersOf(path: string, more: PathSets): readonly string[] {
  if (!/^!?@/.test(path)) return [path];
  const [, not = "", name = "", below = ""] = SET.exec(path) ?? [];
  const own: readonly string[] | undefined = Object.hasOwn(pathSets, name) ? pathSets[name as keyof typeof pathSets] : undefined;
  const added = Object.hasOwn(more, name) ? more[name] : undefined;
  if (own === undefined && added === undefined) {
    const names = [...Object.keys(pathSets), ...Object.keys(more)].map((known) => `@${known}`);
    throw new SyntaxError(`"${path}" is not a set of paths.${didYouMean(path.replace(/^!/, ""), names)} Known: ${names.join(", ")}`);
  }
  const members = [...(own ?? []), ...(added ?? [])];
  // What a set leaves out stays out of the set, and does not become what the rule is about.
  if (not !== "") return members.filter((member) => !member.startsWith("!")).map((member) => `!${member}${below}`);
  return members.map((member) => (below === "" || member.endsWith("**") ? member : `${member === "/" ? "" : member}${below}`));
}

/** `a{b,c}` is `ab` and `ac`. */
function alternatives(path: string): readonly string[] {
  const found = /^(.*?)\{([^{}]*)\}(.*)$/.exec(path);
  if (found === null) return [path];
  const [, before = "", inside = "", after = ""] = found;
  return inside.split(",").flatMap((part) => alternatives(`${before}${part}${after}`));
}

interface Segment {
  readonly text: string;
  /** For a glob. */
  readonly test?: (name: string) => boolean;
}

interface Pattern {
  readonly isExcluded: boolean;
  /** Where it begins: at the root, in a home folder, in the folder of the call, above that, or in any folder. */
  readonly from: "root" | "home" | "call" | "above" | "anywhere";
  readonly segments: readonly Segment[];
  /** It covers everything below, too. */
  readonly isTree: boolean;
}

function readPattern(text: string): Pattern {
  const isExcluded = text.startsWith("!");
  const path = text.slice(isExcluded ? 1 : 0).toLowerCase();
  const isTree = path === "**" || path.endsWith("/**");
  const from = beginningOf(path);
  const names = path
    .slice(from === "home" ? 1 : 0, isTree ? -2 : undefined)
    .split("/")
    .filter((name) => name !== "" && name !== ".");
  if (path === "" || names.includes("**") || (names.includes("..") && from !== "above")) throw new SyntaxError(`"${text}" is not a path`);
  return { isExcluded, from, segments: from === "above" ? [] : names.map(readSegment), isTree };
}

function beginningOf(path: string): Pattern["from"] {
  if (path === "..") return "above";
  if (path.startsWith("/") || /^[a-z]:/.test(path)) return "root";
  if (/^~(?:\/|$)/.test(path)) return "home";
  return /^\.(?:\/|$)/.test(path) ? "call" : "anywhere";
}

function readSegment(text: string): Segment {
  return /[*?[]/.test(text) ? { text, test: compileGlob(text) } : { text };
}

interface Name {
  readonly text: string;
  /** `some`: a glob or a part that is not known. `any`: a name of which nothing is given but perhaps a leading dot. */
  readonly kind: "exact" | "some" | "any";
}

/** A path as it is compared. */
interface Subject {
  readonly use: PathUse;
  readonly names: readonly Name[];
  /** Otherwise it begins in the folder of the call, which is not known, or `isOpen`. */
  readonly isAbsolute: boolean;
  /** It begins with a part that is not known. */
  readonly isOpen: boolean;
  /** The path from the home folder. Undefined if it is not in one. */
  readonly home: readonly Name[] | undefined;
  /** The path from the folder of the call, or that it is above that folder. Undefined if it is elsewhere. */
  readonly call: readonly Name[] | "above" | undefined;
  readonly isRecursive: boolean;
  /** A part that is not known makes a match uncertain. */
  readonly isUnknown: boolean;
  /** The last part is not known and may be empty. */
  readonly isCut: boolean;
  /** Files of some names, anywhere below the folder: what `find` finds. */
  readonly isScattered: boolean;
}

/** `*`, `.*`, `.[!.]*`, `?*` */
const ANY_NAME = /^\.?(?:\?|\[[^\]]*\])*\*+$/;

function readSubject({ path, glob, unknown }: PathFact, use: PathUse): Subject {
  const { cwd, dir, isRecursive = false, isRead = false } = use;
  const isUnknown = unknown !== undefined;
  const isPattern = glob === true || isUnknown;
  const isAbsolute = path.startsWith("/") || /^[a-z]:/i.test(path);
  const names = namesIn(path, isPattern);
  const isOpen = isUnknown && !isAbsolute && names[0]?.text === "**";
  if (isOpen) names.shift();
  let isCut = false;
  // Everything in a folder is as good as the folder.
  while (names.at(-1)?.kind === "any" && (isRecursive || isUnknown || names.at(-1)?.text === "**")) {
    isCut ||= isUnknown;
    names.pop();
  }
  const last = names.at(-1);
  const isFound = !isUnknown && last?.kind === "some" && last.text.startsWith("**");
  const isScattered = isFound && !isRead;
  if (isFound) names.pop();
  // What is found and read counts by its name, in whichever folder it is.
  if (isFound && isRead) names.push(readName(last.text.slice(2)));
  const home = isAbsolute ? homeIn(names) : undefined;
  const call = isOpen ? undefined : fromCall(names, isAbsolute, cwd);
  const isThere = call === undefined && dir !== undefined && !isCut && dir.path === `/${names.map(({ text }) => text).join("/")}`;
  return {
    use,
    names,
    isAbsolute,
    isOpen,
    home: home === undefined ? undefined : names.slice(home),
    call: isThere ? [] : call,
    isRecursive,
    isUnknown,
    isCut,
    isScattered,
  };
}

function namesIn(path: string, isPattern: boolean): Name[] {
  const names: Name[] = [];
  for (const text of path.toLowerCase().split("/"))
    if (text !== "" && text !== ".") names.push(isPattern ? readName(text) : { text, kind: text === "*" ? "any" : "exact" });
  return names;
}

function readName(text: string): Name {
  if (!/[*?[]/.test(text.replace(/\\./g, ""))) return { text: text.replace(/\\(.)/g, "$1"), kind: "exact" };
  return { text, kind: ANY_NAME.test(text) ? "any" : "some" };
}

const ownHome = namesIn(homedir(), false);

function homeIn(names: readonly Name[]): number | undefined {
  const [first, second] = names;
  if (first?.text === "root") return 1;
  if (second !== undefined && (first?.text === "home" || first?.text === "users" || (first?.text === "var" && second.text === "root")))
    return 2;
  if (first?.text === "c:" && second?.text === "users" && names.length > 2) return 3;
  return ownHome.length > 0 && ownHome.every(({ text }, index) => names[index]?.text === text) ? ownHome.length : undefined;
}

/** All paths of a call are compared with the same folder. */
let lastFolder: { readonly cwd: string | undefined; readonly names: readonly Name[] } = { cwd: undefined, names: [] };

function fromCall(names: readonly Name[], isAbsolute: boolean, cwd: string | undefined): Subject["call"] {
  if (!isAbsolute) {
    const above = names.filter(({ text }) => text === "..").length;
    if (above === 0) return names;
    return above === names.length ? "above" : undefined;
  }
  if (cwd === undefined) return undefined;
  if (lastFolder.cwd !== cwd) lastFolder = { cwd, names: namesIn(cwd, false) };
  const folder = lastFolder.names;
  let same = 0;
  while (same < names.length && names[same]?.text === folder[same]?.text) same++;
  if (same === folder.length) return names.slice(same);
  return same === names.length ? "above" : undefined;
}

interface Index<P extends Pattern> {
  /** The patterns that need a name, by that name. */
  readonly byName: ReadonlyMap<string, readonly P[]>;
  /** Those that consist of globs, by the two characters that the last one begins or ends with. */
  readonly byFirst: ReadonlyMap<number, readonly P[]>;
  readonly byLast: ReadonlyMap<number, readonly P[]>;
  /** Those that need nothing of this. */
  readonly loose: readonly P[];
  readonly all: readonly P[];
}

function indexOf<P extends Pattern>(all: readonly P[]): Index<P> {
  const byName = new Map<string, P[]>();
  const byFirst = new Map<number, P[]>();
  const byLast = new Map<number, P[]>();
  const loose: P[] = [];
  for (const pattern of all) {
    const anchor = pattern.segments.findLast(({ test }) => test === undefined)?.text;
    const glob = pattern.segments.at(-1)?.text ?? "*";
    if (anchor !== undefined) push(byName, anchor, pattern);
    else if (/^[^*?[\\]{2}/.test(glob)) push(byFirst, pairAt(glob, 0), pattern);
    else if (/[^*?[\]\\]{2}$/.test(glob)) push(byLast, pairAt(glob, glob.length - 2), pattern);
    else loose.push(pattern);
  }
  return { byName, byFirst, byLast, loose, all };
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

type Found = typeof NO | typeof MAYBE | typeof YES;
const NO = 0;
const MAYBE = 1;
const YES = 2;

function bestMatch(subject: Subject, index: Index<Pattern>): Found {
  // Nothing is known of it.
  if (subject.isOpen && subject.names.length === 0) return index.all.length === 0 ? NO : MAYBE;
  if (!isPlain(subject)) return bestOf(subject, index.all);
  let found: Found = NO;
  for (const patterns of candidatesOf(subject, index)) {
    const next = bestOf(subject, patterns);
    if (next > found) found = next;
    if (found === YES) break;
  }
  return found;
}

/** A folder above a pattern, and a name that is not exact, has none of the pattern's names. */
function isPlain({ isRecursive, isUnknown, isScattered, names }: Subject): boolean {
  return !isRecursive && !isUnknown && !isScattered && names.every(({ kind }) => kind === "exact");
}

/** Two characters as one number. Not a number in a text that is too short. */
function pairAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
}

/** The patterns that can match a plain path. */
function candidatesOf<P extends Pattern>({ names }: Subject, { byName, byFirst, byLast, loose }: Index<P>): (readonly P[])[] {
  const found = [loose];
  for (const { text } of names) {
    const same = byName.get(text);
    if (same !== undefined) found.push(same);
    const first = byFirst.get(pairAt(text, 0));
    if (first !== undefined) found.push(first);
    const last = byLast.get(pairAt(text, text.length - 2));
    if (last !== undefined) found.push(last);
  }
  return found;
}

function bestOf(subject: Subject, patterns: readonly Pattern[]): Found {
  let best: Found = NO;
  for (const pattern of patterns) {
    const found = match(subject, pattern);
    if (found === YES) return YES;
    if (found === MAYBE) best = MAYBE;
  }
  return best;
}

function match(subject: Subject, pattern: Pattern): Found {
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
  if (isBelow ? !isTree : names.length < segments.length && !subject.isRecursive) return NO;
  const count = Math.min(names.length, segments.length);
  const found = compare(subject, { names, start: 0, count }, pattern);
  return found === YES && subject.isCut && names.length === segments.length && !isTree ? MAYBE : found;
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
  if (best === NO && subject.isRecursive) return isAboveIt(subject, pattern);
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

function couldBe({ text, kind }: Name, { text: wanted, test }: Segment, isInNamedFolder: boolean, isUnknown: boolean): boolean {
  const isOpen = /^[*?[]/.test(text);
  // `dist/*` and `*.json` could be any name at all. They count only in a folder that the pattern names.
  if ((kind === "any" || isOpen) && !isInNamedFolder) return false;
  // No glob covers a leading dot that it does not write.
  if (isOpen && (wanted.startsWith(".") || (kind === "some" && test !== undefined))) return false;
  // `index.*` is not about `*.pem`: a glob that a person writes for such files ends as they do.
  if (!isUnknown && test !== undefined && wanted.startsWith("*") && !text.endsWith(wanted.slice(wanted.lastIndexOf("*") + 1))) return false;
  return pathMatches({ path: text, glob: true }, wanted) !== false;
}
