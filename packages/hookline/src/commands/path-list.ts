import { didYouMean } from "@hookline/core/internal/text";
import type { PathFact } from "./facts.js";
import { alternatives, type Found, MAYBE, match, NO, type Pattern, readPattern, YES } from "./path-pattern.js";
import { type PathSets, pathSets } from "./path-sets.js";
import { type PathUse, readSubject, type Subject } from "./path-subject.js";

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
  /** Adds the numbers of the lists that may have the path, some more than once. False: each list must be asked itself. */
  find(path: PathFact, use: PathUse, into: number[]): boolean;
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
      into.push(...always);
      for (const pattern of index.loose) if (match(subject, pattern) !== NO) into.push(...pattern.lists);
      for (const patterns of candidatesOf(subject, index))
        for (const pattern of patterns) if (match(subject, pattern) !== NO) into.push(...pattern.lists);
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

interface Index<P extends Pattern> {
  /** The patterns that need a name, by that name. */
  readonly byName: ReadonlyMap<string, readonly P[]>;
  /** Those that consist of globs, by the two characters that the last one begins or ends with. */
  readonly byFirst: ReadonlyMap<number, readonly P[]>;
  readonly byLast: ReadonlyMap<number, readonly P[]>;
  /** Those that need nothing of this. */
  readonly loose: readonly P[];
  readonly all: readonly P[];
  /** A path of which nothing is known may be any file. That it is a disk needs some evidence: programs that write to one name it. */
  readonly hasMoreThanDevices: boolean;
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
  const isDevice = ({ from, segments }: Pattern): boolean => from === "root" && segments.length > 1 && segments[0]?.text === "dev";
  return { byName, byFirst, byLast, loose, all, hasMoreThanDevices: !all.every(isDevice) };
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

function bestMatch(subject: Subject, index: Index<Pattern>): Found {
  // Nothing is known of it.
  if (subject.isOpen && subject.names.length === 0) return index.hasMoreThanDevices ? MAYBE : NO;
  if (!isPlain(subject)) return bestOf(subject, index.all);
  let found = bestOf(subject, index.loose);
  for (const patterns of candidatesOf(subject, index)) {
    if (found === YES) break;
    const next = bestOf(subject, patterns);
    if (next > found) found = next;
  }
  return found;
}

/** A folder above a pattern, and a name that is not exact, has none of the pattern's names. */
function isPlain({ isTree, isUnknown, isScattered, names }: Subject): boolean {
  return !isTree && !isUnknown && !isScattered && names.every(({ kind }) => kind === "exact");
}

/** Two characters as one number. A character that is not there is 0. */
function pairAt(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1);
}

/** The patterns that can match a plain path, besides the loose ones. For most paths there are none. */
function candidatesOf<P extends Pattern>({ names }: Subject, { byName, byFirst, byLast }: Index<P>): readonly (readonly P[])[] {
  let found: (readonly P[])[] | undefined;
  const add = (patterns: readonly P[] | undefined): void => {
    if (patterns === undefined) return;
    if (found === undefined) found = [patterns];
    else found.push(patterns);
  };
  for (const { text } of names) {
    add(byName.get(text));
    add(byFirst.get(pairAt(text, 0)));
    add(byLast.get(pairAt(text, text.length - 2)));
  }
  return found ?? none;
}

const none: readonly never[] = [];

function bestOf(subject: Subject, patterns: readonly Pattern[]): Found {
  let best: Found = NO;
  for (const pattern of patterns) {
    const found = match(subject, pattern);
    if (found === YES) return YES;
    if (found === MAYBE) best = MAYBE;
  }
  return best;
}
