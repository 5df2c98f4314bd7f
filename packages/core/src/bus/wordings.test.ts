import { describe, expect, it } from "vitest";
import { reportingBus } from "../../../../test/support/reporting-bus.js";
import { block, handled, inject, modify } from "../catalog/outcomes.js";
import { readOutcomes } from "./answers.js";
import { createBus } from "./bus.js";

const call = { tool: { name: "bash", callId: "1", input: { command: "ls" } } };

function decided(answer: unknown, options: { readonly onFailure?: "open" | "closed" } = { onFailure: "open" }) {
  const { bus, reports: errors } = reportingBus({ onAsk: "return" });
  bus.on("tool:before", (() => answer) as never, { name: "guard", ...options });
  const decision = bus.decide("tool:before", call);
  if (decision instanceof Promise) throw new Error("a promise");
  return { ...decision, payload: decision.payload, errors };
}

describe("a verdict in other words", () => {
  const no: readonly unknown[] = [
    { action: "block", reason: "no" },
    { action: "block", message: "no" },
    { action: "deny", reason: "no" },
    { action: "BLOCK", reason: "no" },
    { decision: "block", reason: "no" },
    { verdict: "deny", reason: "no" },
    { kind: "block", reason: "no" },
    { kind: "deny", reason: "no" },
    { type: "block", reason: "no" },
    { type: "reject", message: "no" },
    { outcome: "denied", reason: "no" },
    { permission: "deny", user_message: "no" },
    { permissionDecision: "deny", permissionDecisionReason: "no" },
    { permission_decision: "deny", reason: "no" },
    { behavior: "deny", message: "no" },
    { decision: { behavior: "deny", message: "no" } },
    { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" } },
    { continue: true, hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "no" } },
    { continue: false, stopReason: "no" },
    { continue: false, hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "no" } },
    { hookSpecificOutput: { decision: { behavior: "deny", message: "no" } } },
    { block: "no", reason: "the second" },
    { cancel: true, errorMessage: "no" },
    { allowed: false, reason: "no" },
    { allow: false, reason: "no" },
    { approved: false, reason: "no" },
    { denied: true, reason: "no" },
    { denied: "no" },
    { blocked: true, reason: "no" },
    { rejected: true, reason: "no" },
    { allowed: false, denied: true, action: "block", reason: "no" },
    { Decision: "deny", reason: "no" },
    { Kind: "deny", reason: "no" },
    { TYPE: "Block", reason: "no" },
    { Allowed: false, reason: "no" },
    { "permission-decision": "deny", reason: "no" },
    { hook_specific_output: { permission_decision: "deny", reason: "no" } },
    { accept: false, reason: "no" },
    { permit: false, reason: "no" },
    { decline: true, reason: "no" },
    { refuse: "no" },
    { forbid: true, reason: "no" },
    { canceled: true, reason: "no" },
    { halt: true, reason: "no" },
    // Beside something that the bus has always known.
    { inject: "text", action: "block", reason: "no" },
    { effects: [{ action: "block", reason: "no" }] },
    [inject("text"), { kind: "block", reason: "no" }],
    JSON.parse(JSON.stringify(block("no"))),
    { ...block("no") },
  ];
  it.each(no.map((answer) => [JSON.stringify(answer), answer]))("denies as it says: %s", (_, answer) => {
    expect(decided(answer)).toMatchObject({ verdict: "deny", by: "guard", reason: "no", cause: undefined });
  });

  it.each([
    [{ action: "ask", reason: "sure?" }, "ask"],
    [{ action: "confirm", message: "sure?" }, "ask"],
    // This is how Hermes asks a person; it lets no call through.
    [{ action: "approve", message: "sure?" }, "ask"],
    [{ permissionDecision: "ask", permissionDecisionReason: "sure?" }, "ask"],
    [{ verdict: "ask", allowed: false, reason: "sure?" }, "ask"],
    [{ requiresApproval: true, reason: "sure?" }, "ask"],
    [{ decision: "allow", verdict: "ask", reason: "sure?" }, "ask"],
    [{ permissionDecision: "defer", reason: "sure?" }, "ask"],
    [{ decision: "approve", reason: "sure?" }, "allow"],
    [{ action: "allow", reason: "sure?" }, "allow"],
    [{ type: "accept", reason: "sure?" }, "allow"],
    [{ hookSpecificOutput: { permissionDecision: "allow", permissionDecisionReason: "sure?" } }, "allow"],
  ])("asks or allows as it says: %j is %s", (answer, verdict) => {
    expect(decided(answer)).toMatchObject({ verdict, by: "guard", reason: "sure?" });
  });

  it.each([
    { action: "continue" },
    { action: "pass" },
    { verdict: "pass", allowed: true },
    // To have no objection is not to skip the agent's own prompt.
    { allowed: true },
    { approved: true },
    { continue: true },
    { denied: false },
    { blocked: false },
  ])("has no opinion where it says so: %j", (answer) => {
    const { verdict, errors } = decided(answer);
    expect([verdict, errors]).toEqual(["pass", []]);
  });

  it.each([
    [{ action: "modify", args: { command: "pwd" } }],
    [{ action: "modify", input: { command: "pwd" } }],
    [{ decision: "modify", tool_input: { command: "pwd" } }],
    [{ updatedInput: { command: "pwd" } }],
    [{ hookSpecificOutput: { permissionDecision: "allow", updatedInput: { command: "pwd" } } }],
    [{ permissionDecision: "allow", modifiedArgs: { command: "pwd" } }],
    [{ kind: "modify", value: { tool: { name: "bash", callId: "1", input: { command: "pwd" } } } }],
    [JSON.parse(JSON.stringify(modify({ tool: { name: "bash", callId: "1", input: { command: "pwd" } } })))],
  ])("rewrites as it says: %j", (answer) => {
    expect(decided(answer)).toMatchObject({ allowed: true, modified: true, payload: { tool: { input: { command: "pwd" } } } });
  });

  it("adds what it says", () => {
    for (const answer of [
      { action: "inject", content: "text" },
      { kind: "inject", value: "text" },
      { hookSpecificOutput: { additionalContext: "text" } },
    ])
      expect(decided(answer), JSON.stringify(answer)).toMatchObject({ verdict: "pass", injections: ["text"] });
  });

  it("ends the loop as it says", () => {
    for (const answer of [{ kind: "block", endLoop: true }, { behavior: "deny", interrupt: true }, { continue: false }])
      expect(decided(answer), JSON.stringify(answer)).toMatchObject({ verdict: "deny", endLoop: true });
  });

  it("can be the decision of another bus", () => {
    const policy = createBus({ onAsk: "return" });
    policy.on("tool:before", () => block("policy says no"), { tool: "bash" });
    policy.on("tool:before", () => ({ decision: "ask", reason: "sure?" }), { tool: "curl" });
    const { bus } = reportingBus({ onAsk: "return" });
    bus.on("tool:before", ((event: { payload: typeof call }) => policy.decide("tool:before", event.payload)) as never);
    const verdictFor = (name: string) => bus.decide("tool:before", { tool: { name, input: {} } });
    expect(verdictFor("bash")).toMatchObject({ verdict: "deny", reason: "policy says no" });
    expect(verdictFor("curl")).toMatchObject({ verdict: "ask", reason: "sure?" });
    expect(verdictFor("ls")).toMatchObject({ verdict: "pass" });
  });

  it("is a word alone, too", () => {
    expect(decided("deny")).toMatchObject({ verdict: "deny", by: "guard" });
    expect(decided(["block"])).toMatchObject({ verdict: "deny" });
    expect(decided("ask")).toMatchObject({ verdict: "ask" });
  });
});

describe("an attempt at a verdict that cannot be read", () => {
  it.each([
    { action: "quarantine", reason: "no" },
    { action: 1 },
    { action: null },
    { decision: "Maybe" },
    { verdict: undefined },
    { verdict: { colour: "red" } },
    { kind: "veto-ish" },
    { type: "denied-by-policy" },
    { outcome: "bad" },
    { permissionDecision: true },
    { allowed: "no" },
    { allowed: undefined },
    { allowed: 0 },
    { denied: 1 },
    { decison: "deny" },
    { response: { decision: "deny" } },
    { output: { action: "block" } },
    { data: { results: [{ denied: true }] } },
    { decision: "allow", response: { permisionDecision: "deny" } },
    { blcok: true },
    { alowed: false },
    { actoin: "block" },
    { inject: "text", decison: "deny" },
    { action: "allow", denied: true },
    { action: "ask", blocked: true },
    { action: "modify" },
    { hookSpecificOutput: "deny" },
    { hookSpecificOutput: { colour: "red" } },
    { permissionDecision: "allow", hookSpecificOutput: { permissionDecision: "deny" } },
    { hookSpecificOutput: { permissionDecision: "no way" } },
    { [Symbol.for("hookline.outcome")]: true, kind: "DENY" },
    new Error("not this one"),
    [inject("text"), { action: "quarantine" }],
  ])("denies, whatever onFailure says: %j", (answer) => {
    const { verdict, cause, reason } = decided(answer);
    expect(verdict).toBe("deny");
    expect(cause).toMatchObject({ code: "HL_INVALID_VERDICT", failure: "invalid_verdict", handler: "guard" });
    expect(reason).toContain('"guard"');
    expect(reason).toContain('{ decision: "deny" | "ask" | "allow", reason }');
  });

  it("names the word and the key", () => {
    expect(decided({ action: "quarantine" }).reason).toContain('"action" is "quarantine"');
    expect(decided({ decison: "deny" }).reason).toContain('Did you mean "decision"?');
    expect(decided(new Error("not this one")).reason).toContain("not this one");
  });
});

describe("a rewrite that is not carried out", () => {
  it.each([
    [{ tool_input: { command: "pwd" } }, "HL_INVALID_VERDICT"],
    [{ decision: "allow", input: { command: "pwd" } }, "HL_INVALID_VERDICT"],
    [{ decision: "allow", new_args: { command: "pwd" } }, "HL_INVALID_VERDICT"],
    [{ decision: "ask", updateInput: { command: "pwd" } }, "HL_INVALID_VERDICT"],
    [{ hookSpecificOutput: { permissionDecision: "allow", modifiedInput: {} } }, "HL_INVALID_VERDICT"],
    [{ kind: "allow", value: { command: "pwd" } }, "HL_INVALID_VERDICT"],
    [{ decision: "allow", result: "text" }, "HL_OUTCOME_NOT_ALLOWED"],
    [{ decision: "allow", args: "pwd" }, "HL_BAD_MODIFY"],
    [{ decision: "allow", updatedInput: ["pwd"] }, "HL_BAD_MODIFY"],
    [{ decision: "allow", updatedInput: null }, "HL_BAD_MODIFY"],
    [{ modify: { tool: { ...call.tool, input: "pwd" } } }, "HL_BAD_MODIFY"],
  ])("denies, whatever onFailure says: %j", (answer, code) => {
    expect(decided(answer)).toMatchObject({ verdict: "deny", modified: false, cause: { code } });
  });

  it("leaves a no its reason, and what only looks a little like it alone", () => {
    expect(decided({ deny: "no", tool_input: {} })).toMatchObject({ verdict: "deny", reason: "no", cause: undefined });
    expect(decided({ inject: "text", inputs: 3, documents: 1 })).toMatchObject({ verdict: "pass", injections: ["text"] });
    expect(decided({ decision: "allow", input: undefined })).toMatchObject({ verdict: "allow" });
    expect(decided({ verdict: "allow", modified: false, payload: call })).toMatchObject({ verdict: "allow", modified: false });
  });
});

describe("an object about something else", () => {
  const others: readonly unknown[] = [
    { logged: true },
    { id: 7, status: 200 },
    { status: "ok" },
    { accepted: ["a@b"], rejected: [], messageId: "x" },
    { stop: () => {} },
    { blocks: [] },
    { key: "value", end: 5, options: [] },
    new Response("ok"),
    new Map(),
    "text",
    7,
  ];
  it.each(others.map((answer) => [answer]))(
    "passes and is reported where the guard is open, and denies where it is closed: %o",
    (answer) => {
      const { verdict, errors } = decided(answer);
      expect([verdict, errors.map(({ code }) => code)]).toEqual(["pass", ["HL_OUTCOME_NOT_ALLOWED"]]);
      expect(decided(answer, { onFailure: "closed" })).toMatchObject({ verdict: "deny", cause: { code: "HL_OUTCOME_NOT_ALLOWED" } });
    },
  );

  it("may have a kind or a type beside what it says", () => {
    expect(decided({ type: "verdict", decision: "deny", reason: "no" })).toMatchObject({ verdict: "deny", cause: undefined });
    expect(decided({ inject: "text", type: "note" })).toMatchObject({ verdict: "pass", injections: ["text"] });
  });

  it("is a value in a transform", () => {
    const { bus } = reportingBus();
    bus.on("tool:result", () => ({ type: "text", text: "b" }) as never);
    expect(bus.transform("tool:result", { type: "text", text: "a" }, call)).toMatchObject({ value: { type: "text", text: "b" } });
  });
});

describe("readOutcomes", () => {
  it("gives outcomes that say the same at every look", () => {
    expect(readOutcomes(undefined)).toEqual([]);
    expect(readOutcomes({ action: "block", message: "no", inject: "text" })).toMatchObject([
      { kind: "block", reason: "no" },
      { kind: "inject", value: "text" },
    ]);
    expect(readOutcomes({ kind: "handled", value: "done" })).toEqual([handled("done")]);
    let looks = 0;
    const twoFaced = {
      get decision() {
        return looks++ === 0 ? "deny" : "allow";
      },
    };
    expect(readOutcomes(twoFaced)).toMatchObject([{ kind: "block" }]);
  });

  it("gives an error for what cannot be read, which denies as the answer itself does", () => {
    const [error] = readOutcomes({ action: "quarantine" });
    expect(error).toMatchObject({ code: "HL_INVALID_VERDICT" });
    expect(decided(error)).toMatchObject({ verdict: "deny", cause: { code: "HL_INVALID_VERDICT" } });
    const outcomes = readOutcomes([block("no"), { reminder: { body: "" } }]);
    expect(decided(outcomes)).toMatchObject({ verdict: "deny", reason: "no", cause: undefined });
  });
});
