import { compileMatch } from "@hookline/core";
import { stringify } from "smol-toml";
import type { DialectName } from "../../../config/dialects.js";
import { linearRegex } from "../../../rules/linear-regex.js";

/** A `[[hook]]` table of hookline.toml. */
export interface ImportedHook {
  readonly name: string;
  readonly event: string;
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

/** What of the other file is not taken over, and why. */
export interface ImportProblem {
  /** Such as `hooks.PreToolUse[0].hooks[1]`. */
  readonly key: string;
  readonly message: string;
}

export interface Imported {
  readonly hooks: readonly ImportedHook[];
  readonly problems: readonly ImportProblem[];
}

/** As they would stand in hookline.toml. */
export function writeHooks(hooks: readonly ImportedHook[]): string {
  return hooks.length === 0 ? "" : `${stringify({ hook: hooks.map((hook) => ({ ...hook })) })}\n`;
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
