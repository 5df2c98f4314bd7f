/** What a rule does with an event that matches. */
export const ruleActions = ["block", "ask", "allow", "modify", "replace", "inject", "remind", "notify"] as const;
export type RuleAction = (typeof ruleActions)[number];

/** A policy as data: which events it is for, and what it does with them. */
export interface Rule {
  readonly name: string;
  /** Names in any spelling, and patterns. */
  readonly events: readonly string[];
  readonly do: RuleAction;
  readonly match?: string;
  readonly tool?: string | readonly string[];
  /** The reason of a verdict, or the text that is injected, remembered or sent. */
  readonly message?: string;
  /** For `modify`: what is written, by path. `{value}` in a text is what stood there. */
  readonly set?: { readonly [path: string]: unknown };
  /** For `replace`: the pattern whose matches are replaced in the value of a transform, and the text that replaces them. */
  readonly find?: string;
  readonly with?: string;
  readonly onFailure?: "open" | "closed";
  readonly priority?: number;
  readonly stage?: "rewrite" | "guard" | "observe";
  readonly description?: string;
  /** `false` leaves it out. */
  readonly enabled?: boolean;
  readonly examples?: RuleExamples;
  /** Where it stands. */
  readonly file?: string;
  readonly line?: number;
}

/** A command, a prompt, or a whole payload. */
export type RuleExample = string | { readonly [key: string]: unknown };

export interface RuleExamples {
  readonly catches?: readonly RuleExample[];
  readonly passes?: readonly RuleExample[];
}
