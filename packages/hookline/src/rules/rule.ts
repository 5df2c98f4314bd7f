import type { PathSets } from "../commands/path-sets.js";
import type { RuleAction } from "./actions.js";
import type { CommandTable } from "./command/command-table.js";

/** The parts of a rule that an action needs. */
export interface RuleContent {
  readonly name: string;
  /** The reason of a verdict, or the text that is injected, remembered or sent. */
  readonly message?: string;
  /** For `modify`: the values to write, by path. `{value}` in a text stands for the old value. */
  readonly set?: { readonly [path: string]: unknown };
  /** For `replace`: the pattern whose matches are replaced in the value of a transform, and the text that replaces them. */
  readonly find?: string;
  readonly with?: string;
}

export const RULE_MODES = ["enforce", "shadow"] as const;
/** Whether a rule decides, or only records what it would have said. */
export type RuleMode = (typeof RULE_MODES)[number];

/** One `[[rule]]`: the events it covers, and what it does with them. */
export interface Rule extends RuleContent {
  /** Names in any spelling, and patterns. */
  readonly events: readonly string[];
  readonly do: RuleAction;
  readonly match?: string;
  readonly tool?: string | readonly string[];
  /** What a command must do: the conditions for one simple command, or several of which one is enough. */
  readonly command?: CommandTable | readonly CommandTable[];
  /** Paths, of which a tool that takes a path or a patch must name one. */
  readonly path?: string | readonly string[];
  /** Hosts, of which an address that a tool takes must have one. */
  readonly host?: string | readonly string[];
  /** The tool's input must have no other fields than these. */
  readonly fields?: readonly string[];
  /** With `do = "allow"`: the rule whose questions it answers, and nothing else. */
  readonly answers?: string;
  /** Shapes of secrets, of which the prompt or the tool's input must hold one. */
  readonly secret?: string | readonly string[];
  /** The secret must have been in a result of another server, earlier in the session. */
  readonly from?: "another-server";
  /** What counts if a fact is not known. Default `ask` for rules that block or ask, otherwise `pass`. */
  readonly unknown?: "ask" | "match" | "pass";
  /** What `[paths]` adds to the sets that the rule names. */
  readonly sets?: PathSets;
  readonly onFailure?: "open" | "closed";
  readonly priority?: number;
  readonly stage?: "rewrite" | "guard" | "observe";
  readonly description?: string;
  /** `false` switches it off. */
  readonly enabled?: boolean;
  /** `shadow`: it decides nothing, and what it would have said is recorded. Default `enforce`. */
  readonly mode?: RuleMode;
  readonly examples?: RuleExamples;
  /** A condition in CEL, besides the others. */
  readonly when?: string;
  /** It acts once it has matched so often, this match included. */
  readonly count?: number;
  /** How far back `count`, `after` and `repeats` look, in milliseconds. Default: the whole session or day. */
  readonly within?: number;
  /** What `count` and `budget` are counted by. Default `"session"`. */
  readonly per?: "session" | "agent" | "project" | "day";
  /** It acts only if the rule of that name matched an earlier call of the session. */
  readonly after?: string;
  /** It acts on a call that had the same result so often in a row. */
  readonly repeats?: number;
  /** It acts once the session or the day has spent this. */
  readonly budget?: { readonly tokens?: number; readonly costUsd?: number };
  /** The pack that it came with: `acme-safe@1.2.0`. */
  readonly pack?: string;
  /** Where the rule is written. */
  readonly file?: string;
  readonly line?: number;
}

/** One example: it is a command, a prompt or a whole payload. */
export type RuleExample = string | { readonly [key: string]: unknown };

/** Examples that a rule must catch, and others that it must let pass. */
export interface RuleExamples {
  readonly catches?: readonly RuleExample[];
  readonly passes?: readonly RuleExample[];
}
