import type { KeyPath, Position } from "./positions/key-positions.js";

/** Something that is wrong in a file, and where. */
export interface ConfigProblem extends Position {
  readonly file: string;
  /** Such as `sink[1].url`; empty where it is the file itself. */
  readonly key: string;
  /** What the entry of the list is called, where it says so. */
  readonly name?: string;
  /** What is wrong, and the way out. */
  readonly message: string;
  /** The entry is used all the same. */
  readonly isWarning?: true;
}

/** What a check has found, before its position is looked up. */
export interface Finding {
  readonly path: KeyPath;
  readonly message: string;
  /** Where in the text that stands there, from 0. */
  readonly at?: number;
}

/** `hookline.toml:12:1: sink[1].urll: "urll" is not known here. Did you mean "url"?` */
export function formatProblem(problem: ConfigProblem): string {
  const { file, line, column, message, isWarning } = problem;
  const whose = whoseOf(problem);
  return `${file}:${line}:${column}: ${isWarning ? "warning: " : ""}${whose === "" ? "" : `${whose}: `}${message}`;
}

/** `rule "no-rm"`: users do not count rules. The message names the key itself, unless that stands deeper. */
function whoseOf({ key, name }: ConfigProblem): string {
  if (name === undefined) return key;
  const [, table = "", rest = ""] = /^(\w+)\[\d+\]\.?(.*)$/.exec(key) ?? [];
  return `${table} "${name}"${/[.[]/.test(rest) ? `, ${rest}` : ""}`;
}

/** The entry that a problem is about, such as `rule[3]`. */
export function entryOf({ key }: Pick<ConfigProblem, "key">): string {
  return key.replace(/\..*$/, "");
}

type SomeProblems = readonly [ConfigProblem, ...ConfigProblem[]];

/** Those about one entry together, in the order of the file. */
export function byEntry(problems: readonly ConfigProblem[]): SomeProblems[] {
  const entries = [...new Set(problems.map(entryOf))];
  return entries.map((entry) => problems.filter((problem) => entryOf(problem) === entry) as unknown as SomeProblems);
}

/** The path as a person would write it: `sink[1]."odd key".url`. */
export function writePath(path: KeyPath): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    const shown = /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
    return text === "" ? shown : `${text}.${shown}`;
  }, "");
}
