import { compileMatch } from "@hookline/core/internal";
import { stringify } from "smol-toml";
import type { DialectName } from "../../../config/config.js";
import { linearRegex } from "../../../rules/linear-regex.js";

/** A `[[hook]]` table of hookline.toml. */
export interface ImportedHook {
  readonly name: string;
  readonly event: string | readonly string[];
  readonly tool?: string | readonly string[];
  readonly match?: string;
  readonly command: string;
  readonly shell: true;
  readonly dialect: DialectName;
  readonly cwd?: string;
  readonly timeoutMs: number;
  readonly onFailure?: "open" | "closed";
  readonly stage?: "observe";
  readonly enabled?: false;
}

/** What of the other file does not count here, and why. */
export interface ImportProblem {
  /** The hook's own name, where it has one. */
  readonly name?: string;
  /** Such as `hooks.PreToolUse[0].hooks[1]`. */
  readonly key: string;
  readonly line: number;
  readonly message: string;
}

export interface Imported {
  readonly hooks: readonly ImportedHook[];
  /** Hooks that are left out. */
  readonly problems: readonly ImportProblem[];
  /** What is different about hooks that are taken over. */
  readonly notes: readonly ImportProblem[];
}

/** The longest that a hook may take in `hookline.toml`. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const MAX_NAME = 64;

/** As they would stand in hookline.toml. */
export function writeHooks(hooks: readonly ImportedHook[]): string {
  return hooks.length === 0 ? "" : `${stringify({ hook: hooks.map((hook) => ({ ...hook })) })}\n`;
}

/** A name that `hookline.toml` takes and none of the hooks has yet. */
export function freeName(wanted: string, taken: readonly ImportedHook[]): string {
  const bare = wanted.trim().replaceAll(/[\s\p{Cc}]+/gu, "-");
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? "" : `-${count}`;
    const name = `${bare.slice(0, MAX_NAME - suffix.length)}${suffix}`;
    if (taken.every((hook) => hook.name !== name)) return name;
  }
}

/** Why a matcher cannot be used; `undefined` for a good one. */
export function findMatchFault(match: string): string | undefined {
  try {
    compileMatch({ match }, linearRegex);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A text as a match expression has it. */
export function quoteValue(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** A regular expression as a match expression has it after `=~`, where only the quote is an escape. */
export function quoteRegex(source: string): string {
  return `'${source.replaceAll("'", "\\'")}'`;
}

/** Both conditions as one. */
export function bothOf(first: string | undefined, second: string | undefined): { readonly match?: string } {
  if (first === undefined || second === undefined)
    return { ...((first ?? second) !== undefined && { match: (first ?? second) as string }) };
  return { match: `(${first}) && (${second})` };
}
