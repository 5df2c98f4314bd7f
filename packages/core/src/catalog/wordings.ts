/** What a word or a key means, in any runtime's wording. `refused`: not allowed, unless a person who is asked allows it. */
export type Statement = "block" | "refused" | "ask" | "allow" | "pass" | "again" | "handled" | "modify" | "inject" | "remind" | "replace";

/** How a key says a verdict. */
export interface Wording {
  /** `word`: one of the words below. `yes` and `no`: true or false; `no` and `ask` also take their reason as text. `nested`: an object with such keys. */
  readonly reads: "word" | "yes" | "no" | "ask" | "nested";
  /**
   * When a value that cannot be read is an attempt at a verdict, and denies. `always`: any value. `alone`: in an object that says
   * nothing else. `never`: objects about other things have such keys, too; only what can be read counts.
   */
  readonly isAttempt: "always" | "alone" | "never";
  /** Words that mean another thing under this key. */
  readonly words?: { readonly [word: string]: Statement };
}

const word: Wording = { reads: "word", isAttempt: "always" };
const label: Wording = { reads: "word", isAttempt: "alone" };
const remark: Wording = { reads: "word", isAttempt: "never" };
const yes: Wording = { reads: "yes", isAttempt: "always" };
const no: Wording = { reads: "no", isAttempt: "always" };

/** Every key by which a handler's answer says a verdict, in the wording of the runtimes and agents people come from. Case, `_` and `-` do not count. */
export const wordings: { readonly [key: string]: Wording } = {
  decision: word,
  verdict: word,
  // Hermes: "approve" sends the call to a person.
  action: { ...word, words: { approve: "ask" } },
  permission: word,
  permissionDecision: word,
  behavior: word,
  behaviour: word,
  kind: label,
  type: label,
  outcome: label,
  status: remark,
  effect: remark,
  hookSpecificOutput: { reads: "nested", isAttempt: "always" },
  allow: yes,
  allowed: yes,
  approve: yes,
  approved: yes,
  authorized: yes,
  authorised: yes,
  permitted: yes,
  continue: yes,
  proceed: { ...yes, isAttempt: "never" },
  granted: { ...yes, isAttempt: "never" },
  accept: { ...yes, isAttempt: "never" },
  accepted: { ...yes, isAttempt: "never" },
  permit: { ...yes, isAttempt: "never" },
  block: no,
  blocked: no,
  deny: no,
  denied: no,
  disallowed: no,
  forbidden: no,
  veto: no,
  vetoed: no,
  cancel: { ...no, isAttempt: "never" },
  cancelled: { ...no, isAttempt: "never" },
  canceled: { ...no, isAttempt: "never" },
  decline: { ...no, isAttempt: "never" },
  declined: { ...no, isAttempt: "never" },
  forbid: { ...no, isAttempt: "never" },
  refuse: { ...no, isAttempt: "never" },
  refused: { ...no, isAttempt: "never" },
  reject: { ...no, isAttempt: "never" },
  rejected: { ...no, isAttempt: "never" },
  stop: { ...no, isAttempt: "never" },
  halt: { ...no, isAttempt: "never" },
  abort: { ...no, isAttempt: "never" },
  ask: { reads: "ask", isAttempt: "never" },
  confirm: { reads: "ask", isAttempt: "never" },
  needsApproval: { reads: "ask", isAttempt: "always" },
  requiresApproval: { reads: "ask", isAttempt: "always" },
};

/** The words, in lower case. One that is not here cannot be read. */
export const statements: { readonly [word: string]: Statement } = invert({
  block:
    "block blocked deny denied reject rejected refuse refused forbid forbidden decline declined cancel cancelled canceled abort stop halt veto no",
  ask: "ask confirm prompt review escalate",
  allow: "allow allowed approve approved accept accepted",
  pass: "pass continue proceed defer none noop",
  again: "again",
  handled: "handled",
  modify: "modify rewrite edit",
  inject: "inject",
  remind: "remind",
  replace: "replace",
});

/** The keys of a verdict's reason. The first that has text counts. */
export const reasonKeys = [
  "reason",
  "message",
  "permissionDecisionReason",
  "stopReason",
  "errorMessage",
  "agent_message",
  "agentMessage",
  "user_message",
  "userMessage",
] as const;

/** What else an answer holds, by key: a new payload, a new tool input, a new value, or text for the model. */
export const contents: { readonly [key: string]: "payload" | "input" | "value" | "inject" } = {
  modify: "payload",
  args: "input",
  updatedInput: "input",
  modifiedArgs: "input",
  overrideInput: "input",
  result: "value",
  inject: "inject",
  additionalContext: "inject",
};

/**
 * Other keys by which people and agents say that a call is to run with other input, in lower case and without `_` and `-`. An answer that holds
 * one and is taken without it would let the call run unchanged, so where it cannot be carried out it denies.
 */
export const rewriteWords: readonly string[] = [
  ...["updatedinput", "modifiedargs", "modifiedinput", "modifiedprompt", "updatedprompt", "updatedtooloutput", "updatedmcptooloutput"],
  ...["overrideinput", "toolinput", "toolargs", "args", "arguments", "input", "newinput", "newargs", "payload", "modify", "rewrite"],
  ...["replace", "replacement", "llmrequest", "arg", "newarguments", "newtoolinput", "updatedargs", "updatedarguments", "updatedtoolinput"],
  ...["modifiedarguments", "modifiedtoolinput", "overrideargs", "toolarguments"],
];

/** The keys of the content that belongs to a word: `{ action: "modify", input }`, `{ kind: "inject", value }`. */
export const wordContents = {
  modify: { input: "input", tool_input: "input", payload: "payload", value: "payload" },
  replace: { value: "value", output: "value", content: "value" },
  inject: { value: "inject", content: "inject", text: "inject", context: "inject" },
  remind: { value: "reminder" },
  handled: { value: "output", output: "output", message: "output" },
} as const;

function invert(groups: { readonly [S in Statement]?: string }): { readonly [word: string]: Statement } {
  const entries = Object.entries(groups).flatMap(([statement, list]) => list.split(" ").map((one) => [one, statement as Statement]));
  return Object.fromEntries(entries);
}
