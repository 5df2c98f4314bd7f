import { type Fix, withFix } from "@hookline/core/internal/machine";
import { editCommand } from "@hookline/core/internal/text";
import type { KeyPath, Position } from "./positions/key-positions.js";

/** An error in a file, and its position. */
export interface ConfigProblem extends Position {
  readonly file: string;
  /** Such as `sink[1].url`. Empty for the file itself. */
  readonly key: string;
  /** The name of the list entry, if it has one. */
  readonly name?: string;
  /** What is wrong, and what the key accepts. */
  readonly message: string;
  readonly fix?: Fix;
  /** The entry is still used. */
  readonly isWarning?: true;
}

/** What a check has found, before its position is known. */
export interface Finding {
  readonly path: KeyPath;
  readonly message: string;
  /** The offset in the text of the value, from 0. */
  readonly at?: number;
}

/** `hookline.toml:12:1: sink[1].urll: "urll" is not known here. Did you mean "url"?` */
export function formatProblem(problem: ConfigProblem): string {
  const { file, line, column, message, fix, isWarning } = problem;
  const whose = whoseOf(problem);
  return `${file}:${line}:${column}: ${isWarning ? "warning: " : ""}${whose === "" ? "" : `${whose}: `}${withFix(message, fix)}`;
}

/** The command that repairs the file: that of its first problem, else the editor. */
export function repairOf(path: string, [first]: readonly ConfigProblem[]): { readonly run: string } {
  return typeof first?.fix === "object" ? first.fix : { run: editCommand(path) };
}

/** `rule "no-rm"`, because an index is hard to find in a file. The message names the key, unless the key is nested deeper. */
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

/** Groups the problems by entry, in the order of the file. */
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
