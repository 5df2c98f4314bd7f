import { didYouMean } from "@hookline/core/internal";

/** What people write for the values of a key, by the value that they mean. */
const synonyms: { readonly [value: string]: readonly string[] } = {
  block: [
    "deny",
    "denied",
    "blocked",
    "reject",
    "refuse",
    "forbid",
    "disallow",
    "prohibit",
    "prevent",
    "stop",
    "halt",
    "abort",
    "cancel",
    "veto",
    "no",
  ],
  ask: ["confirm", "prompt", "approval", "review", "escalate", "hold", "question"],
  allow: ["permit", "approve", "accept", "grant", "pass", "yes", "ok", "continue"],
  modify: ["rewrite", "change", "edit", "update", "set", "patch"],
  replace: ["redact", "mask", "hide", "sanitize", "scrub", "censor", "substitute", "transform"],
  inject: ["context", "add", "append", "tell", "message"],
  remind: ["reminder", "remember", "nudge"],
  notify: ["warn", "warning", "log", "alert", "audit", "report", "record", "observe", "monitor", "notification"],
  closed: ["close", "deny", "block", "fail-closed", "fail_closed", "failclosed", "strict"],
  open: ["allow", "pass", "ignore", "continue", "fail-open", "fail_open", "failopen", "lenient"],
  rewrite: ["modify", "transform", "before", "pre"],
  guard: ["check", "decide", "gate", "policy"],
  observe: ["observer", "after", "post", "watch", "log", "notify"],
};

/** ` Did you mean "block"?` for a word that means one of the values or is close to one, else nothing. */
export function meantValue(given: string, values: readonly string[]): string {
  const word = given.trim().toLowerCase();
  const meant = values.find((value) => value.toLowerCase() === word || synonyms[value]?.includes(word));
  return meant === undefined ? didYouMean(word, values) : ` Did you mean "${meant}"?`;
}
