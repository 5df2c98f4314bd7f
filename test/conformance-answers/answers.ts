import { values } from "./values.ts";

export type Verdict = "deny" | "ask" | "allow" | "pass";

/** One answer of a guard of `tool:before`, and what comes of it. */
export interface Answer {
  readonly what: string;
  /** As JSON; missing if JSON does not carry it. */
  readonly json?: string;
  /** One of `values.ts`, and its kind: languages without values of that kind leave it out. */
  readonly value?: string;
  readonly kind?: string;
  /** For a guard that is closed, and for one that is open. */
  readonly closed: Verdict;
  readonly open: Verdict;
}

const NO =
  "block blocked deny denied reject rejected refuse refused forbid forbidden decline declined cancel cancelled abort stop halt veto no DENY Block";
const ASK = "ask confirm prompt review escalate needs-approval ASK";
const HOLD = "defer deferred suspend hold held pending wait waiting Defer PENDING";
const YES = "allow allowed approve approved accept ALLOW";
const PASS = "pass continue proceed none noop";
const UNKNOWN = "maybe quarantine allow-once deny-ish";

type Row = readonly [answer: unknown, closed: Verdict, open?: Verdict];
const each = (keys: string, make: (key: string) => Row): Row[] => keys.split(" ").map(make);
const cross = (keys: string, words: string, verdict: Verdict): Row[] =>
  each(keys, (key) => [key, "pass"]).flatMap(([key]) => each(words, (word): Row => [{ [key as string]: word }, verdict]));

const WORD_KEYS = "decision verdict permissionDecision permission behavior";
const words: Row[] = [
  ...cross(WORD_KEYS, NO, "deny"),
  ...cross(WORD_KEYS, ASK, "ask"),
  ...cross(WORD_KEYS, HOLD, "ask"),
  ...cross(WORD_KEYS, YES, "allow"),
  ...cross(WORD_KEYS, PASS, "pass"),
  ...cross(WORD_KEYS, UNKNOWN, "deny"),
  ...cross("action kind type outcome", "deny block reject", "deny"),
  ...cross("action kind type outcome", "ask defer pending", "ask"),
  ...cross("kind type outcome", "allow", "allow"),
  // Hermes sends an "approve" to a person.
  [{ action: "approve" }, "ask"],
  [{ action: "allow" }, "allow"],
];

const keys: Row[] = [
  ...each("allow allowed approve approved authorized permitted continue proceed granted permit", (key) => [{ [key]: true }, "pass"]),
  ...each("allow allowed approve approved authorized permitted continue proceed granted permit", (key) => [{ [key]: false }, "deny"]),
  ...each("allow allowed approved authorized continue", (key) => [{ [key]: "yes" }, "deny"]),
  ...each("allow allowed approved authorized continue", (key) => [{ [key]: null }, "deny"]),
  ...each("block blocked deny denied forbidden vetoed cancel decline refuse rejected stop abort", (key) => [{ [key]: true }, "deny"]),
  ...each("block blocked deny denied forbidden vetoed cancel decline refuse rejected stop abort", (key) => [{ [key]: "no" }, "deny"]),
  ...each("block blocked deny denied", (key) => [{ [key]: 1 }, "deny"]),
  ...each("block denied cancel", (key) => [{ [key]: false }, "pass"]),
  ...each("ask confirm needsApproval requiresApproval requireApproval approvalRequired", (key) => [{ [key]: true }, "ask"]),
  ...each("ask confirm needsApproval requires_approval require-approval", (key) => [{ [key]: "sure?" }, "ask"]),
  ...each("ask confirm needsApproval requireApproval", (key) => [{ [key]: { question: "sure?" } }, "ask"]),
  ...each("defer suspend hold pending wait escalate review", (key) => [{ [key]: true }, "ask"]),
  ...each("defer suspend hold pending wait escalate review", (key) => [{ [key]: "for a person" }, "ask"]),
  ...each("defer suspend hold pending wait", (key) => [{ [key]: {} }, "ask"]),
];

const beside = (more: object, verdict: Verdict): Row[] => [
  [{ decision: "allow", ...more }, verdict],
  [{ allowed: true, ...more }, verdict === "allow" ? "pass" : verdict],
];
const remarks: Row[] = [
  ...each("ask confirm review escalate requireApproval defer suspend hold pending wait", (key) => [
    { decision: "allow", [key]: true },
    "ask",
  ]),
  ...each("ask confirm requireApproval defer pending", (key) => [{ decision: "allow", [key]: { by: "a person" } }, "ask"]),
  ...[{ error: "policy server down" }, { error: {} }, { errors: ["a"] }, { failed: true }, { failure: "timeout" }].flatMap((more) =>
    beside(more, "ask"),
  ),
  ...[{ ok: false }, { success: false }, { status: "pending" }, { status: "error" }, { state: "failed" }].flatMap((more) =>
    beside(more, "ask"),
  ),
  ...[{ status: 503 }, { exitCode: 1 }, { timedOut: true }, { isError: true }, { verified: false }].flatMap((more) => beside(more, "ask")),
  ...[{ ok: "false" }, { success: "no" }, { errorMessage: "down" }, { error_text: "down" }, { statusCode: "503" }].flatMap((more) =>
    beside(more, "ask"),
  ),
  ...each("needsHuman requires_human_approval manualReview human partial flagged expired revoked skipped escalated", (key) => [
    { decision: "allow", [key]: true },
    "ask",
  ]),
  ...[{ status: "awaiting approval" }, { state: "expired" }].flatMap((more) => beside(more, "ask")),
  ...[{ status: "deferred" }, { permissionDecision: "defer" }, { action: "approve" }, { verdict: "hold" }].flatMap((more) =>
    beside(more, "ask"),
  ),
  ...[{ status: "500" }, { httpStatus: 403 }, { traceback: "in guard.py" }, { stack: "at guard" }, { aborted: true }].flatMap((more) =>
    beside(more, "ask"),
  ),
  ...[{ ok: null }, { success: null }, { done: false }, { permissionRequired: true }, { requiresHuman: true }].flatMap((more) =>
    beside(more, "ask"),
  ),
  ...[{ error: null }, { errors: [] }, { ok: true }, { status: "ok" }, { status: 200 }, { exitCode: 0 }, { error: "" }].flatMap((more) =>
    beside(more, "allow"),
  ),
  ...[{ human: "ann" }, { manualReview: false }, { status: "200" }, { exitCode: "0" }, { success: "yes" }].flatMap((more) =>
    beside(more, "allow"),
  ),
  ...[{ failed: 0 }, { failed: false }, { pending: false }, { ask: false }, { warning: "slow" }, { timeout: 5000 }].flatMap((more) =>
    beside(more, "allow"),
  ),
  [{ decision: "deny", error: "policy server down" }, "deny"],
  [{ decision: "deny", pending: true }, "deny"],
  [{ allowed: false, ok: true }, "deny"],
  [{ decision: "ask", ok: true }, "ask"],
  [{ args: { command: "pwd" }, error: "half done" }, "ask"],
];

const within = (depth: number, inner: object): object => (depth === 0 ? inner : { data: within(depth - 1, inner) });
const mistakes: Row[] = [
  ...each("decison verdcit permisionDecision alowed aproved blcok deneid actoin", (key) => [{ [key]: "deny" }, "deny"]),
  ...each("decison verdcit permisionDecision actoin", (key) => [{ decision: "allow", [key]: "deny" }, "deny"]),
  ...each("blcok deneid blocekd forbiden", (key) => [{ decision: "allow", [key]: true }, "deny"]),
  ...each("decison verdcit permisionDecision", (key) => [{ allowed: true, [key]: "ask" }, "deny"]),
  ...each("response output data result_of", (key) => [{ decision: "allow", [key]: { decision: "deny" } }, "deny"]),
  ...each("response output data", (key) => [{ decision: "allow", [key]: [{ denied: true }] }, "deny"]),
  ...[5, 12, 30].map((depth): Row => [{ decision: "allow", ...within(depth, { decision: "deny" }) }, "deny"]),
  [{ decision: "allow", ...within(40, { seen: true }) }, "deny"],
  [{ decision: "allow", ...Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`k${n}`, {}])), last: { denied: true } }, "deny"],
  ...each("decision verdict action permission permissionDecision behavior", (key) => [{ [key]: null }, "deny"]),
  [{ decision: null, reason: "no rm" }, "deny"],
  [{ action: "allow", denied: true }, "deny"],
  [{ decision: "allow", verdict: "deny" }, "deny"],
  [{ decision: "ask", blocked: true }, "deny"],
  [{ allowed: true, denied: true }, "deny"],
  [{ hookSpecificOutput: { permissionDecision: "deny" } }, "deny"],
  [{ hookSpecificOutput: { permissionDecision: "defer" } }, "ask"],
  [{ hookSpecificOutput: { permissionDecision: "ask" } }, "ask"],
  [{ hookSpecificOutput: { decision: { behavior: "deny" } } }, "deny"],
  [{ hookSpecificOutput: "deny" }, "deny"],
  [{ hookSpecificOutput: { colour: "red" } }, "deny"],
  [{ continue: false, stopReason: "no" }, "deny"],
  [{ continue: true, hookSpecificOutput: { permissionDecision: "deny" } }, "deny"],
  ...each("tool_input newArgs updateInput replacement", (key) => [{ decision: "allow", [key]: { command: "pwd" } }, "deny"]),
  [{ args: "pwd" }, "deny"],
  [{ modify: "pwd" }, "deny"],
  [{ action: "modify" }, "deny"],
  [{ kind: "allow", value: { command: "pwd" } }, "deny"],
  [{ effects: [{ action: "block" }] }, "deny"],
  [{ effects: "deny" }, "deny"],
  [{ then: { decision: "deny" } }, "deny"],
  [[{ decision: "allow" }, { decision: "ask" }], "ask"],
  [[{ decision: "ask" }, { decision: "allow" }], "ask"],
  [[{ decision: "allow" }, { decision: "deny" }], "deny"],
  [[{ inject: "careful" }, "deny"], "deny"],
  [["block"], "deny"],
  [[["deny"]], "deny"],
];

const others: Row[] = [
  [null, "pass"],
  [true, "pass"],
  [false, "deny"],
  [{}, "pass"],
  [[], "pass"],
  [[null, true], "pass"],
  [[false], "deny"],
  ...each("deny block reject no", (word): Row => [word, "deny"]),
  ...each("ask defer pending hold wait escalate", (word): Row => [word, "ask"]),
  ["allow", "allow"],
  ["pass", "pass"],
  ...[0, 1, -1, 1.5, "", "text", "ok", "allow it", [1], [["text"]]].map((answer): Row => [answer, "deny", "pass"]),
  ...[{ logged: true }, { id: 7, status: 200 }, { reason: "no rm" }, { message: "denied by policy" }].map(
    (answer): Row => [answer, "deny", "pass"],
  ),
  ...[{ error: "policy server down" }, { ok: false }, { ok: true }, { score: 0.9, label: "safe" }].map(
    (answer): Row => [answer, "deny", "pass"],
  ),
  ...[{ blocks: [] }, { accepted: ["a@b"], rejected: [] }, { name: "Error", message: "x" }].map((answer): Row => [answer, "deny", "pass"]),
  [{ inject: "careful" }, "pass"],
  [{ inject: "careful", error: "policy server down" }, "ask"],
  [{ inject: "careful", pending: 1 }, "ask"],
  [{ inject: "careful", error: null }, "pass"],
  [{ args: { command: "pwd" } }, "pass"],
  [{ decision: "allow", args: { command: "pwd" } }, "allow"],
];

/** What comes of a value that JSON does not carry, by its kind. */
const kinds: { readonly [kind: string]: readonly [closed: Verdict, open: Verdict] } = {
  nothing: ["pass", "pass"],
  error: ["deny", "deny"],
  "undefined member": ["deny", "deny"],
  "absent no": ["pass", "pass"],
  "absent remark": ["deny", "pass"],
  // In process, the tool gets it as it is.
  "input without JSON": ["deny", "deny"],
  "awaited deny": ["deny", "deny"],
  "awaited nothing": ["pass", "pass"],
  "awaited allow": ["allow", "allow"],
  "awaited ask": ["ask", "ask"],
  rejection: ["deny", "pass"],
  "promise within": ["deny", "deny"],
  unreadable: ["deny", "deny"],
  instance: ["deny", "pass"],
  set: ["deny", "pass"],
  bytes: ["deny", "pass"],
  function: ["deny", "pass"],
  generator: ["deny", "pass"],
  "not a number": ["deny", "pass"],
  "big integer": ["deny", "pass"],
  "instance with fields": ["deny", "deny"],
  "getter deny": ["deny", "deny"],
  "getter allow": ["allow", "allow"],
  "getter ask": ["ask", "ask"],
};

export const answers: readonly Answer[] = [
  ...[...words, ...keys, ...remarks, ...mistakes, ...others].map(([answer, closed, open = closed]) => {
    const json = JSON.stringify(answer);
    return { what: json, json, closed, open };
  }),
  ...Object.entries(values).map(([value, [kind]]) => {
    const [closed, open] = kinds[kind] as readonly [Verdict, Verdict];
    return { what: value, value, kind, closed, open };
  }),
];
