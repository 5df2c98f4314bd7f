import { homedir } from "node:os";
import type { PathFact } from "./facts.js";
import { type PatternTokens, readTokens } from "./paths.js";

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

export interface Name {
  readonly text: string;
  /** `some`: a glob or a part that is not known. `any`: a name of which nothing is given but perhaps a leading dot. */
  readonly kind: "exact" | "some" | "any";
  /** Undefined for an exact name, and for one that may be anything. */
  readonly tokens?: PatternTokens;
}

/** A path as it is compared. */
export interface Subject {
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
  /** Everything below goes with it. */
  readonly isTree: boolean;
  /** A part that is not known makes a match uncertain. */
  readonly isUnknown: boolean;
  /** The last part is not known and may be empty. */
  readonly isCut: boolean;
  /** Files of some names, anywhere below the folder: what `find` finds. */
  readonly isScattered: boolean;
}

/** `*`, `.*`, `.[!.]*`, `?*` */
const ANY_NAME = /^\.?(?:\?|\[[^\]]*\])*\*+$/;

export function readSubject({ path, glob, unknown, tree }: PathFact, use: PathUse): Subject {
  const { cwd, dir, isRecursive = false, isRead = false } = use;
  const isUnknown = unknown !== undefined;
  const isPattern = glob === true || isUnknown;
  const isAbsolute = path.startsWith("/") || /^[a-z]:/i.test(path);
  const names = namesIn(path, isPattern);
  const isOpen = isUnknown && !isAbsolute && names[0]?.text === "**";
  if (isOpen) names.shift();
  // Above a folder that is not known is another such folder.
  while (isOpen && names[0]?.text === "..") names.shift();
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
  // To delete a folder that the command has made itself undoes that, also from within.
  const isThere =
    call === undefined && dir !== undefined && dir.made !== true && !isCut && dir.path === `/${names.map(({ text }) => text).join("/")}`;
  return {
    use,
    names,
    isAbsolute,
    isOpen,
    home: home === undefined ? undefined : names.slice(home),
    call: isThere ? [] : call,
    isRecursive,
    isTree: tree === true || isRecursive,
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
  return { text, kind: ANY_NAME.test(text) ? "any" : "some", tokens: readTokens(text) };
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
