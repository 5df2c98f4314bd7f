import type { KeyPath, Position } from "./positions/key-positions.js";

/** Something that is wrong in a file, and where. */
export interface ConfigProblem extends Position {
  readonly file: string;
  /** Such as `sink[1].url`; empty where it is the file itself. */
  readonly key: string;
  /** What is wrong, and the way out. */
  readonly message: string;
}

/** What a check has found, before anybody has looked up where that is. */
export interface Finding {
  readonly path: KeyPath;
  readonly message: string;
}

/** `hookline.toml:12:1: sink[1].urll: "urll" is not known here. Did you mean "url"?` */
export function formatProblem({ file, line, column, key, message }: ConfigProblem): string {
  return `${file}:${line}:${column}: ${key === "" ? "" : `${key}: `}${message}`;
}

/** The path as a person would write it: `sink[1]."odd key".url`. */
export function writePath(path: KeyPath): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    const shown = /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
    return text === "" ? shown : `${text}.${shown}`;
  }, "");
}
