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

/** What is not imported from the other file, and why. */
export interface ImportProblem {
  /** The name of the hook, if it has one. */
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
  /** Differences of imported hooks. */
  readonly notes: readonly ImportProblem[];
}

/** The longest timeout of a hook in `hookline.toml`. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const MAX_NAME = 64;

/** The hooks in the form of hookline.toml. */
export function writeHooks(hooks: readonly ImportedHook[]): string {
  return hooks.length === 0 ? "" : `${stringify({ hook: hooks.map((hook) => ({ ...hook })) })}\n`;
}

/** A name that is valid in `hookline.toml` and that none of the hooks has yet. */
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

/** A text as a literal of a match expression. */
export function quoteValue(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** A regular expression as written after `=~` in a match expression, where only the quote is escaped. */
export function quoteRegex(source: string): string {
  return `'${source.replaceAll("'", "\\'")}'`;
}

/** Both conditions as one. */
export function bothOf(first: string | undefined, second: string | undefined): { readonly match?: string } {
  if (first === undefined || second === undefined)
    return { ...((first ?? second) !== undefined && { match: (first ?? second) as string }) };
  return { match: `(${first}) && (${second})` };
}
