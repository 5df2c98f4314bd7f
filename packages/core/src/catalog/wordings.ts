/** What a word or a key means, in any runtime's wording. `refused`: not allowed, unless a person who is asked allows it. */
export type Statement = "block" | "refused" | "ask" | "allow" | "pass" | "again" | "handled" | "modify" | "inject" | "remind" | "replace";

/** How a key says a verdict. */
export interface Wording {
  /**
   * `word`: one of the words below. `yes` and `no`: true or false; `no` and `ask` also take their reason as text, `ask` also as an object. `hold`
   * is read like `ask`, but false under it says nothing. `nested`: an object with such keys.
   */
  readonly reads: "word" | "yes" | "no" | "ask" | "hold" | "nested";
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
  ...each(word, "decision verdict permission permissionDecision behavior behaviour"),
  // Hermes: "approve" sends the call to a person.
  action: { ...word, words: { approve: "ask" } },
  ...each(label, "kind type outcome"),
  ...each(remark, "status state effect"),
  hookSpecificOutput: { reads: "nested", isAttempt: "always" },
  ...each(yes, "allow allowed approve approved authorized authorised permitted continue"),
  ...each({ ...yes, isAttempt: "never" }, "proceed granted accept accepted permit"),
  ...each(no, "block blocked deny denied disallowed forbidden veto vetoed"),
  ...each(
    { ...no, isAttempt: "never" },
    "cancel cancelled canceled decline declined forbid refuse refused reject rejected stop halt abort",
  ),
  ...each({ reads: "ask", isAttempt: "always" }, "needsApproval requiresApproval"),
  ...each(
    { reads: "ask", isAttempt: "never" },
    "ask confirm requireApproval approvalRequired needsConfirmation requiresConfirmation requireConfirmation confirmationRequired needsReview requiresReview reviewRequired permissionRequired needsPermission requiresPermission humanRequired needsHuman requiresHuman",
  ),
  ...each({ reads: "hold", isAttempt: "never" }, "escalate review prompt defer deferred suspend suspended hold pending wait"),
};

/**
 * The words, in lower case and without what joins their parts. One that is not here cannot be read. The words in
 * the second line of `ask` put the call off, which here means that a person must decide: no word of the two lines ever lets it run.
 */
export const statements: { readonly [word: string]: Statement } = invert({
  block:
    "block blocked deny denied reject rejected refuse refused forbid forbidden decline declined cancel cancelled canceled abort stop halt veto no",
  ask:
    "ask confirm prompt review escalate needsapproval requiresapproval approvalrequired " +
    "defer deferred suspend suspended hold held pending wait waiting",
  allow: "allow allowed approve approved accept accepted",
  pass: "pass continue proceed none noop",
  again: "again",
  handled: "handled",
  modify: "modify rewrite edit",
  inject: "inject",
  remind: "remind",
  replace: "replace",
});

/**
 * Remarks that make a yes a question, by key in lower case and without `_` and `-`. `failure`: anything but nothing. `flag`: true. `success`: false, or a word for it.
 * `state`: a bad state, an HTTP status that is a failure, or an exit code.
 */
export const remarks = {
  failure: /^(is)?err(or)?(s|code|message|text)?$|^exception$|^fail(ed|ures?)?$|^crashed$|^(stack)?trace(back)?$|^stack$/,
  flag: /^(timed?out|incomplete|partial|degraded|unavailable|unsafe|flagged|unknown|paused|waiting|held|queued|skipped|expired|revoked|escalated|aborted|interrupted|(needs?|requires?)?(human|manual|person).*)$/,
  success: /^(ok|success(ful)?|succeeded|passed|valid|safe|verified|checked|completed?|done)$/,
  state: /^((http)?status(code)?|state|exitcode|outcome)$/,
} as const;

/** States in which nothing has been decided, in lower case and without what joins their parts. */
export const badStates =
  /^(error|fail(ed|ure)|timed?out|crashed|un(known|available|reachable)|incomplete|degraded|queued|awaiting.*|inprogress|processing|running|skipped|expired|revoked|[45]\d\d)$/;

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
  ..."updated modified override new tool"
    .split(" ")
    .flatMap((which) => ["input", "args", "arguments", "toolinput", "prompt"].map((what) => which + what)),
  ..."args arguments arg input payload modify rewrite replace replacement llmrequest updatedtooloutput updatedmcptooloutput".split(" "),
];

/** The keys of the content that belongs to a word: `{ action: "modify", input }`, `{ kind: "inject", value }`. */
export const wordContents = {
  modify: { input: "input", tool_input: "input", payload: "payload", value: "payload" },
  replace: { value: "value", output: "value", content: "value" },
  inject: { value: "inject", content: "inject", text: "inject", context: "inject" },
  remind: { value: "reminder" },
  handled: { value: "output", output: "output", message: "output" },
} as const;

function each<T>(meaning: T, keys: string): { readonly [key: string]: T } {
  return Object.fromEntries(keys.split(" ").map((key) => [key, meaning]));
}

function invert(groups: { readonly [S in Statement]?: string }): { readonly [word: string]: Statement } {
  const entries = Object.entries(groups).flatMap(([statement, list]) => list.split(" ").map((one) => [one, statement as Statement]));
  return Object.fromEntries(entries);
}
