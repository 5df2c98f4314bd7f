import { createBus, HookError, type HookEvent } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { dialectNames } from "../../../config/config.js";
import type { CommandOutput } from "./dialect.js";
import { findDialect, readOutput } from "./find-dialect.js";

const call = { name: "Bash", callId: "c1", input: { command: "rm -rf /" } };
const payloads: { readonly [event: string]: object } = {
  "tool:before": { session: { id: "s1" }, cwd: "/work", tool: call },
  "tool:after": { session: { id: "s1" }, cwd: "/work", tool: { ...call, output: "done" }, status: "ok" },
  "prompt:submit": { session: { id: "s1" }, cwd: "/work", prompt: "hello", agent: { model: "m" } },
};

/** The event as a handler of the bus gets it. */
function eventOf(name: string, payload: object = payloads[name] ?? { session: { id: "s1" } }, value?: unknown): HookEvent {
  return {
    name,
    payload,
    value,
    id: "e1",
    at: 0,
    session: { id: "s1" },
    depth: 0,
    signal: new AbortController().signal,
    bus: createBus(),
  } as HookEvent;
}

type Case = readonly [what: string, event: string, output: Partial<CommandOutput> | object | string, expected: object | string | undefined];

/** What the bus makes of it: the decision, or the kind of failure. */
async function outcome(
  dialect: (typeof dialectNames)[number],
  name: string,
  output: Case[2],
  onFailure: "open" | "closed" = "closed",
): Promise<object | string> {
  const whole = {
    exitCode: 0,
    stdout: "",
    stderr: "",
    ...(typeof output === "string" ? { stdout: output } : isOutput(output) ? output : { stdout: JSON.stringify(output) }),
  };
  const bus = createBus({ onAsk: "return", onError: () => {} });
  const handler = (event: HookEvent) => readOutput(findDialect(dialect), event, whole, onFailure === "closed");
  bus.on(name as "tool:before", handler as never, { onFailure, name: "hook" });
  const { verdict, reason, payload, injections, endLoop, again, cause, modified } = await bus.decide(
    name as "tool:before",
    (payloads[name] ?? {}) as never,
  );
  if (cause !== undefined) return `${verdict} ${cause.failure ?? cause.code}`;
  return {
    verdict,
    ...(reason !== undefined && { reason }),
    ...(modified && { payload }),
    ...(injections.length > 0 && { injections }),
    ...(endLoop && { endLoop }),
    ...(again !== undefined && { again: again.reason }),
  };
}

function isOutput(output: object): boolean {
  return "exitCode" in output || "stderr" in output;
}

function specific(event: string, more: object): object {
  return { hookSpecificOutput: { hookEventName: event, ...more } };
}

const denied = (reason: string) => ({ verdict: "deny", reason });
const pass = { verdict: "pass" };
const bareNo = denied('The guard "hook" says no, and gives no reason.');
const bareQuestion = { verdict: "ask", reason: 'The guard "hook" asks, and gives no reason.' };
const rewritten = { verdict: "pass", payload: { ...payloads["tool:before"], tool: { ...call, input: { command: "ls" } } } };

const tables: { readonly [dialect in (typeof dialectNames)[number]]: readonly Case[] } = {
  own: [
    ["a no", "tool:before", { decision: "deny", reason: "not here" }, denied("not here")],
    ["a no that ends the loop", "tool:before", { decision: "deny", reason: "x", endLoop: true }, { ...denied("x"), endLoop: true }],
    ["a question", "tool:before", { decision: "ask", reason: "sure?" }, { verdict: "ask", reason: "sure?" }],
    ["a yes", "tool:before", { decision: "allow" }, { verdict: "allow" }],
    ["no opinion", "tool:before", { decision: "pass" }, pass],
    ["other input", "tool:before", { input: { command: "ls" } }, rewritten],
    [
      "another payload",
      "prompt:submit",
      { payload: { prompt: "bye" } },
      { verdict: "pass", payload: { prompt: "bye", session: { id: "s1" }, agent: { model: "m" } } },
    ],
    ["text", "prompt:submit", { inject: ["a", " ", "b"] }, { verdict: "pass", injections: ["a", "b"] }],
    ["exit 2", "tool:before", { exitCode: 2, stderr: "no\n" }, denied("no")],
    ["exit 2 and a stray line", "tool:before", { exitCode: 2, stdout: "log\n{", stderr: "no" }, denied("no")],
    ["exit 2 and a reason on stdout", "tool:before", { exitCode: 2, stdout: '{"reason":"why"}' }, denied("why")],
    ["a no to a finish", "finish:before", { decision: "deny", reason: "tests fail" }, { verdict: "pass", again: "tests fail" }],
    ["a key it does not have", "tool:before", { desicion: "deny" }, "deny invalid_verdict"],
    ["a verdict of another dialect", "tool:before", specific("PreToolUse", { permissionDecision: "deny" }), bareNo],
    ["an empty object", "tool:before", {}, pass],
  ],
  "claude-code": [
    ["a no", "tool:before", specific("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "no" }), denied("no")],
    ["a no with an unknown field", "tool:before", { x: 1, ...specific("PreToolUse", { permissionDecision: "deny", y: 2 }) }, bareNo],
    ["a question", "tool:before", specific("PreToolUse", { permissionDecision: "ask" }), bareQuestion],
    ["a yes", "tool:before", specific("PreToolUse", { permissionDecision: "allow" }), { verdict: "allow" }],
    ["deferred", "tool:before", specific("PreToolUse", { permissionDecision: "defer" }), bareQuestion],
    ["an unknown word", "tool:before", specific("PreToolUse", { permissionDecision: "denied" }), "deny invalid_verdict"],
    ["another event's answer", "tool:before", specific("PostToolUse", { permissionDecision: "allow" }), "deny invalid_verdict"],
    ["other input", "tool:before", specific("PreToolUse", { updatedInput: { command: "ls" } }), rewritten],
    [
      "a yes to other input",
      "tool:before",
      specific("PreToolUse", { permissionDecision: "allow", updatedInput: { command: "ls" } }),
      { ...rewritten, verdict: "allow" },
    ],
    ["a malformed input", "tool:before", specific("PreToolUse", { updatedInput: "ls" }), "deny invalid_verdict"],
    ["context", "tool:before", specific("PreToolUse", { additionalContext: "mind" }), { verdict: "pass", injections: ["mind"] }],
    ["empty context", "tool:before", specific("PreToolUse", { additionalContext: " \n" }), pass],
    ["the older no", "tool:before", { decision: "block", reason: "no" }, denied("no")],
    ["the older yes", "tool:before", { decision: "approve" }, { verdict: "allow" }],
    ["an older unknown word", "tool:before", { decision: "deny" }, "deny invalid_verdict"],
    ["an older word of others", "tool:before", { decision: "allow" }, "deny invalid_verdict"],
    ["an end", "tool:before", { continue: false, stopReason: "enough" }, { ...denied("enough"), endLoop: true }],
    ["an end that is not a boolean", "tool:before", { continue: "false" }, "deny invalid_verdict"],
    ["talk to the user", "tool:before", { systemMessage: "hi", suppressOutput: true, continue: true }, pass],
    ["exit 2", "tool:before", { exitCode: 2, stderr: "no\n" }, denied("no")],
    ["exit 2 without a word", "tool:before", { exitCode: 2 }, bareNo],
    ["exit 2 with broken stdout", "tool:before", { exitCode: 2, stdout: "{", stderr: "no" }, denied("no")],
    ["a copilot's no", "tool:before", { permissionDecision: "deny" }, bareNo],
    ["plain text on a prompt", "prompt:submit", "Today is Monday.\n", { verdict: "pass", injections: ["Today is Monday."] }],
    ["a log line, then a no, on a prompt", "prompt:submit", 'log\n{"decision":"block"}', "deny protocol_error"],
    ["a no to a prompt", "prompt:submit", { decision: "block", reason: "secret" }, denied("secret")],
    ["a no to a stop", "finish:before", { decision: "block", reason: "tests fail" }, { verdict: "pass", again: "tests fail" }],
    ["exit 2 at a stop", "finish:before", { exitCode: 2, stderr: "go on" }, { verdict: "pass", again: "go on" }],
    ["a permission given", "permission:asked", specific("PermissionRequest", { decision: { behavior: "allow" } }), { verdict: "allow" }],
    [
      "a permission refused",
      "permission:asked",
      specific("PermissionRequest", { decision: { behavior: "deny", message: "no", interrupt: true } }),
      { ...denied("no"), endLoop: true },
    ],
    [
      "a permission misspelled",
      "permission:asked",
      specific("PermissionRequest", { decision: { behavior: "denied" } }),
      "deny invalid_verdict",
    ],
  ],
  hermes: [
    ["a no", "tool:before", { action: "block", message: "no" }, denied("no")],
    ["a no in Claude's words", "tool:before", { decision: "block", reason: "no" }, denied("no")],
    ["a no without a word", "tool:before", { action: "block" }, bareNo],
    ["a no with a failing exit code", "tool:before", { exitCode: 1, stdout: '{"action":"block","message":"no"}' }, denied("no")],
    ["exit 2", "tool:before", { exitCode: 2, stderr: "no" }, denied("no")],
    ["other arguments", "tool:before", { action: "modify", args: { command: "ls" } }, rewritten],
    ["other input, in Claude's words", "tool:before", { decision: "modify", tool_input: { command: "ls" } }, rewritten],
    ["a rewrite of nothing", "tool:before", { action: "modify" }, "deny invalid_verdict"],
    ["a yes, which skips no prompt", "tool:before", { decision: "allow" }, pass],
    ["a yes in Claude's words, which skips none either", "tool:before", { decision: "approve" }, pass],
    ["a question to a person", "tool:before", { action: "approve", message: "sure?" }, { verdict: "ask", reason: "sure?" }],
    ["a question at an event that cannot ask", "prompt:submit", { action: "approve", message: "sure?" }, "deny invalid_verdict"],
    ["an unknown word", "tool:before", { action: "blok" }, "deny invalid_verdict"],
    ["a question beside a yes", "tool:before", { action: "continue", decision: "ask" }, "deny invalid_verdict"],
    ["context", "prompt:submit", { context: "mind" }, { verdict: "pass", injections: ["mind"] }],
    ["more work", "finish:before", { action: "continue", message: "tests fail" }, { verdict: "pass", again: "tests fail" }],
  ],
  codewhale: [
    ["exit 2 on a message", "prompt:submit", { exitCode: 2, stdout: '{"reason":"no"}', stderr: "other" }, denied("no")],
    ["exit 2 on a tool", "tool:before", { exitCode: 2, stderr: "no" }, denied("no")],
    ["exit 2, said on stdout", "tool:before", { exitCode: 2, stdout: "no" }, denied("no")],
    ["another text", "prompt:submit", { text: "bye" }, { verdict: "pass", payload: { ...payloads["prompt:submit"], prompt: "bye" } }],
    ["an empty text", "prompt:submit", { text: "" }, "deny invalid_verdict"],
    ["nothing", "prompt:submit", {}, pass],
    ["a no", "tool:before", { decision: "deny", reason: "no" }, denied("no")],
    ["an unknown word", "tool:before", { decision: "nope" }, "deny invalid_verdict"],
  ],
  harn: [
    ["a no", "tool:before", { deny: "no" }, denied("no")],
    ["false", "tool:before", "false", bareNo],
    ["true", "tool:before", "true", pass],
    ["null", "tool:before", "null", pass],
    ["other arguments", "tool:before", { args: { command: "ls" } }, rewritten],
    ["a word", "tool:before", { decision: "ask", reason: "sure?" }, { verdict: "ask", reason: "sure?" }],
    ["an unknown word", "tool:before", { decision: "perhaps" }, "deny invalid_verdict"],
    ["a reminder, then a no", "tool:before", { reminder: { body: "mind" }, then: { deny: "no" } }, denied("no")],
    ["effects", "tool:before", { effects: [{ inject: "a" }, { deny: "no" }] }, { ...denied("no"), injections: ["a"] }],
    ["a key it does not have", "tool:before", { denny: "no" }, "deny invalid_verdict"],
    ["exit 2", "tool:before", { exitCode: 2, stderr: "no" }, denied("no")],
  ],
};

/** What no closed guard may let pass, whatever it speaks. */
const broken: readonly Case[] = [
  ["a stray line before a yes", "tool:before", 'hello\n{"decision":"allow"}', "deny protocol_error"],
  ["a stray line behind a no", "tool:before", '{"decision":"deny"}\nbye', "deny protocol_error"],
  ["two objects", "tool:before", "{}{}", "deny protocol_error"],
  ["half an object", "tool:before", '{"decision":"al', "deny protocol_error"],
  ["a word", "tool:before", "allow", "deny protocol_error"],
  ["a number", "tool:before", "1", "deny invalid_verdict"],
  ["a list", "tool:before", "[]", "deny invalid_verdict"],
  ["a text", "tool:before", '"allow"', "deny invalid_verdict"],
  ["deep nesting", "tool:before", `{"reason":${"[".repeat(10_000)}${"]".repeat(10_000)}}`, "deny invalid_verdict"],
  ["a verdict without a value", "tool:before", { verdict: "allow" }, "deny invalid_verdict"],
  ["a yes as a key", "tool:before", { allow: true }, "deny invalid_verdict"],
  ["a yes as a verdict's word", "tool:before", { behavior: "allow" }, "deny invalid_verdict"],
  ["a permission without a value", "tool:before", { permission: "allow" }, "deny invalid_verdict"],
  ["exit 1", "tool:before", { exitCode: 1, stderr: "boom" }, "deny crash"],
  ["exit 1 with a yes", "tool:before", { exitCode: 1, stdout: '{"decision":"allow"}' }, "deny crash"],
  ["exit 127", "tool:before", { exitCode: 127, stderr: "not found" }, "deny spawn_error"],
  ["exit 126", "tool:before", { exitCode: 126 }, "deny spawn_error"],
  ["silence", "tool:before", " \n", pass],
];

for (const name of dialectNames)
  describe(`the dialect ${name} reads`, () => {
    it.each([...tables[name], ...broken])("%s (%s)", async (_, event, output, expected) => {
      expect(await outcome(name, event, output)).toEqual(expected);
    });
  });

describe.each(dialectNames)("a yes in the dialect %s", (dialect) => {
  const yes = dialect === "hermes" ? '"action":"allow"' : dialect === "claude-code" ? '"decision":"approve"' : '"decision":"allow"';
  const no = dialect === "hermes" ? '"action":"block"' : '"decision":"block"';

  it.each(["open", "closed"] as const)("does not count beside the same key with another value (%s)", async (mode) => {
    expect(await outcome(dialect, "tool:before", `{${no},${yes}}`, mode)).toBe("deny invalid_verdict");
    expect(await outcome(dialect, "tool:before", `{${yes},${yes}}`, mode)).toMatchObject({ verdict: expect.stringMatching(/allow|pass/) });
  });

  it.each(["open", "closed"] as const)("is a question beside a remark that something failed (%s)", async (mode) => {
    const answer = await outcome(dialect, "tool:before", `{${yes},"error":"policy server down"}`, mode);
    // In a dialect that knows all its keys, an unknown one cannot be read.
    if (dialect === "own" || dialect === "harn") expect(answer).toBe("deny invalid_verdict");
    else expect(answer).toMatchObject({ verdict: "ask", reason: expect.stringContaining('"error": "policy server down"') });
  });
});

describe.each(["claude-code", "hermes", "codewhale", "own"] as const)(
  "an object without a key that says something in the dialect %s",
  (dialect) => {
    it.each([{ logged: true }, { message: "denied by policy" }, { reason: "no" }, { result: 1 }, { ok: true }])("%j", async (answer) => {
      expect(await outcome(dialect, "tool:before", answer)).toBe("deny invalid_verdict");
    });

    it("may be empty", async () => {
      expect(await outcome(dialect, "tool:before", {})).toEqual(pass);
    });
  },
);

describe("a verdict that a dialect does not have", () => {
  const attempts: readonly (Partial<CommandOutput> | object)[] = [
    { action: "block", reason: "no" },
    { verdict: "deny" },
    { kind: "block" },
    { type: "deny" },
    { allowed: false },
    { denied: true },
    { approved: false },
    { hookSpecificOutput: { permissionDecision: "deny" } },
    { permissionDecision: "nope" },
    { action: "quarantine" },
    { kind: "quarantine" },
    { desicion: "deny" },
    { decision: "deny", reason: 7 },
    { decision: "deny", endLoop: "yes" },
    { decision: "deny", inject: 7 },
    { decision: "deny", colour: "red" },
    { Kind: "deny" },
    { Decision: "deny" },
    { response: { decision: "deny" } },
    { output: { action: "block" } },
    { result: { decision: "deny" } },
    { results: [{ allowed: false }] },
    { hookSpecificOutput: { action: "block" } },
    { hookSpecificOutput: { allowed: false } },
    { hookSpecificOutput: { permissiondecision: "deny" } },
    { hookSpecificOutput: { permisionDecision: "deny" } },
    { hookSpecificOutput: { permissionDecision: "allow", decision: { behavior: "deny" } } },
    { hookSpecificOutput: { permissionDecision: "allow", continue: false } },
    { hook_specific_output: { permission_decision: "deny" } },
    { decision: "block", hookSpecificOutput: { permissionDecision: "allow" } },
    { action: "allow", decision: "deny" },
    { action: "modify", args: { command: "ls" }, decision: "deny" },
    { exitCode: 1, stdout: '{"decision":"deny"}', stderr: "boom" },
    { exitCode: 1, stdout: '{"action":"block"}', stderr: "boom" },
  ];
  const cases = dialectNames.flatMap((name) => attempts.map((attempt) => [name, JSON.stringify(attempt), attempt] as const));
  it.each(cases)("denies in %s, also where the hook is open: %s", async (name, _, attempt) => {
    const decision = await outcome(name, "tool:before", attempt, "open");
    expect(typeof decision === "string" ? decision : (decision as { verdict: string }).verdict).toMatch(/^deny/);
  });
});

describe("a rewrite in an object where no dialect looks", () => {
  const attempts: readonly object[] = [
    { output: { updatedInput: { command: "ls" } } },
    { tool: { input: { command: "ls" } } },
    { hookSpecificOutput: { permissionDecision: "allow", newToolInput: { command: "ls" } } },
  ];
  const cases = dialectNames.flatMap((name) => attempts.map((attempt) => [name, JSON.stringify(attempt), attempt] as const));
  it.each(cases)("denies in %s: %s", async (name, _, attempt) => {
    expect(await outcome(name, "tool:before", attempt)).toMatch(/^deny/);
  });

  it("leaves the words of a tool's input alone", async () => {
    const answer = { action: "modify", args: { action: "cancel", decision: "deny" } };
    expect(await outcome("hermes", "tool:before", answer)).toMatchObject({ verdict: "pass" });
  });
});

describe("our own dialect", () => {
  it("denies an end of the loop without a deny", async () => {
    for (const answer of [{ endLoop: true }, { decision: "allow", endLoop: true }])
      expect(await outcome("own", "tool:before", answer, "open")).toMatch(/^deny/);
  });
});

describe("what a command is told", () => {
  const told = (dialect: (typeof dialectNames)[number], name: string, payload?: object) =>
    findDialect(dialect).write(eventOf(name, payload));

  it("in our own dialect: the event as it is, with paths in full", () => {
    expect(told("own", "tool:before", { cwd: "here", tool: call })).toEqual({
      v: 1,
      id: "e1",
      at: "1970-01-01T00:00:00.000Z",
      event: "tool:before",
      session: { id: "s1" },
      payload: { cwd: `${process.cwd()}/here`, tool: call },
    });
  });

  it("in Claude Code's: its own fields, and those the agent sent that we do not know", () => {
    const raw = { session_id: "old", transcript_path: "/t.jsonl", permission_mode: "default", tool_input: { command: "old" } };
    expect(told("claude-code", "tool:before", { ...payloads["tool:before"], raw })).toEqual({
      session_id: "s1",
      transcript_path: "/t.jsonl",
      permission_mode: "default",
      cwd: "/work",
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: call.input,
      tool_use_id: "c1",
    });
    expect(told("claude-code", "tool:after")).toMatchObject({ hook_event_name: "PostToolUse", tool_response: "done" });
    expect(findDialect("claude-code").variables?.(eventOf("tool:before"))).toEqual({ CLAUDE_PROJECT_DIR: "/work" });
  });

  it("in Hermes'", () => {
    expect(told("hermes", "tool:before")).toEqual({
      hook_event_name: "pre_tool_call",
      tool_name: "Bash",
      tool_input: call.input,
      session_id: "s1",
      cwd: "/work",
      extra: { tool_call_id: "c1" },
    });
  });

  it("in codewhale's: JSON and variables", () => {
    expect(told("codewhale", "prompt:submit")).toEqual({
      event: "message_submit",
      text: "hello",
      session_id: "s1",
      workspace: "/work",
      model: "m",
    });
    expect(told("codewhale", "turn:end", { turn: { id: "t1" }, usage: { inputTokens: 3, outputTokens: 4 } })).toMatchObject({
      event: "turn_end",
      turn_id: "t1",
      usage: { input_tokens: 3, output_tokens: 4 },
      total_tokens: 7,
    });
    const worker = { id: "w1", task: "look around" };
    expect(told("codewhale", "worker:spawned", { worker })).toMatchObject({
      event: "subagent_spawn",
      agent_id: "w1",
      prompt_preview: "look around",
    });
    expect(told("codewhale", "worker:failed", { worker })).toMatchObject({ event: "subagent_complete", agent_id: "w1", status: "failed" });
    const failed = { tool: { ...call, output: "no such file", exitCode: 3 }, status: "error" };
    expect(findDialect("codewhale").variables?.(eventOf("tool:after", failed))).toMatchObject({
      DEEPSEEK_TOOL_EXIT_CODE: "3",
      DEEPSEEK_TOOL_CALL_ID: "c1",
      DEEPSEEK_TOOL_SUCCESS: "false",
      DEEPSEEK_ERROR: "no such file",
    });
    const codeOf = (event: string, payload: object) =>
      findDialect("codewhale").variables?.(eventOf(event, payload)).DEEPSEEK_TOOL_EXIT_CODE;
    const after = (more: object, tool: object = {}) => codeOf("tool:after", { tool: { ...call, ...tool }, status: "error", ...more });
    expect(after({}, { exitCode: 3_221_225_477 })).toBe("3221225477");
    expect(after({}, { exitCode: 0 })).toBe("0");
    expect(after({ exit_code: 7 })).toBe("7");
    // Nothing is made of a failure, nor of what is not a code.
    for (const exitCode of [undefined, null, "3", Number.NaN, 1.5, true]) expect(after({}, { exitCode, isError: true })).toBeUndefined();
    expect(codeOf("tool:before", { tool: { ...call, exitCode: 3 } })).toBeUndefined();
    expect(findDialect("codewhale").variables?.(eventOf("tool:before"))).toMatchObject({
      DEEPSEEK_TOOL_NAME: "Bash",
      DEEPSEEK_TOOL_ARGS: '{"command":"rm -rf /"}',
      DEEPSEEK_WORKSPACE: "/work",
    });
  });

  it("in harn's: its name of the event, and the input as args", () => {
    expect(told("harn", "tool:before")).toMatchObject({
      event: "PreToolUse",
      tool: { name: "Bash", args: call.input },
      session: { id: "s1" },
    });
  });
});

describe("reminders in harn's dialect", () => {
  const reminder = {
    body: "mind the gap",
    tags: ["gap"],
    dedupe_key: "gap",
    ttl_turns: 2,
    preserve_on_compact: true,
    propagate: "all",
    role_hint: "developer",
    authority: "contract",
  };
  const ours = {
    body: "mind the gap",
    tags: ["gap"],
    dedupeKey: "gap",
    ttlTurns: 2,
    preserveOnCompact: true,
    propagate: "all",
    roleHint: "developer",
    authority: "contract",
  };

  async function decide(document: object) {
    const errors: HookError[] = [];
    const bus = createBus({ onAsk: "return", onError: (error) => void errors.push(error) });
    const output = { exitCode: 0, stdout: JSON.stringify(document), stderr: "" };
    bus.on("tool:before", ((event: HookEvent) => readOutput(findDialect("harn"), event, output)) as never, { onFailure: "closed" });
    return { decision: await bus.decide("tool:before", payloads["tool:before"] as never), errors };
  }

  it.each([
    ["alone", { reminder }, "pass"],
    ["with a verdict beside it", { reminder, then: { deny: "no" } }, "deny"],
    ["with then: false", { reminder, then: false }, "deny"],
    ["with another within", { reminder, then: { reminder: { body: "then", ttl_turns: 1 }, then: { decision: "ask" } } }, "ask"],
    ["among effects", { effects: [{ reminder }], then: true }, "pass"],
  ])("are accepted in its spelling %s, and what comes then is honoured", async (_, document, verdict) => {
    const { decision, errors } = await decide(document);
    expect(errors).toEqual([]);
    expect(decision.verdict).toBe(verdict);
    if (verdict !== "deny") expect(decision.reminders[0]?.spec).toEqual(ours);
  });

  it("change the call by what comes then", async () => {
    const { decision } = await decide({ reminder, then: { args: { command: "ls" } } });
    expect(decision).toMatchObject({ verdict: "pass", payload: { tool: { input: { command: "ls" } } } });
    expect(decision.reminders[0]?.spec).toEqual(ours);
  });

  it.each([
    ["a key that harn does not have", { body: "x", ttl: 2 }, '"ttl"'],
    ["both spellings of a key", { body: "x", ttl_turns: 2, ttlTurns: 3 }, '"ttl_turns"'],
  ])("are refused with %s", async (_, wrong, named) => {
    const { errors } = await decide({ reminder: wrong });
    expect(errors[0]?.message).toContain(named);
  });
});

describe("what happened already", () => {
  it("gets a remark and is not blocked", () => {
    const event = eventOf("tool:after");
    const read = (output: object) => findDialect("claude-code").read(event, { exitCode: 0, stdout: "", stderr: "", ...output });
    expect(read({ exitCode: 2, stderr: "lint fails" })).toMatchObject([{ kind: "inject", value: "lint fails" }]);
    expect(read({ stdout: '{"decision":"block","reason":"lint fails"}' })).toMatchObject([{ kind: "inject", value: "lint fails" }]);
  });

  it("can be rewritten as a result", () => {
    const stdout = JSON.stringify(specific("PostToolUse", { updatedToolOutput: "short" }));
    expect(
      findDialect("claude-code").read(eventOf("tool:result", payloads["tool:after"], "long"), { exitCode: 0, stdout, stderr: "" }),
    ).toMatchObject([{ kind: "replace", value: "short" }]);
  });

  it("does not flood the context", () => {
    const [answer] = findDialect("claude-code").read(eventOf("tool:after"), {
      exitCode: 2,
      stdout: "",
      stderr: "x".repeat(50_000),
    }) as unknown as { value: string }[];
    expect(answer?.value.length).toBeLessThan(4_100);
    expect(answer?.value).toContain("46000 more characters left out");
  });
});

describe("a shell's environment in codewhale's dialect", () => {
  it("is lines of KEY=VALUE on top of what there was", () => {
    const stdout = "# comment\nA=1\nexport B=\"two words\"\nC='x'\n\n=none\nno equals\n1D=x\n";
    expect(
      findDialect("codewhale").read(eventOf("tool:env", {}, { PATH: "/bin", A: "0" }), { exitCode: 0, stdout, stderr: "" }),
    ).toMatchObject([{ kind: "replace", value: { PATH: "/bin", A: "1", B: "two words", C: "x" } }]);
  });

  it("is not taken from a command that failed", () => {
    expect(() => findDialect("codewhale").read(eventOf("tool:env", {}, {}), { exitCode: 3, stdout: "A=1", stderr: "" })).toThrow(HookError);
  });
});
