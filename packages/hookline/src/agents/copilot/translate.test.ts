import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { events } from "./events.js";
import { translate } from "./translate.js";

type Payloads = { readonly [event: string]: { readonly [key: string]: unknown } };
const fixture = (name: string): Payloads => JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8"));
const camel = fixture("camel-case");
const pascal = fixture("pascal-case");
const subagent = fixture("subagent");
const twice = fixture("delivered-twice");

const shell = { name: "Bash", runtimeName: "bash", input: { command: "echo hi" } };
const root = "560bc0b9-cbb3-40e9-8c6d-d33f146f2b9f";

describe("translate", () => {
  it.each([...Object.entries(camel), ...Object.entries(pascal)])("says whose %s it is and keeps the agent's own words", (name, native) => {
    const { payload } = translate(name, native);
    expect(payload).toMatchObject({
      session: { id: native.sessionId ?? native.session_id },
      cwd: "/srv/project",
      agent: { platform: "copilot" },
    });
    expect(payload.raw).toEqual(native);
    expect(payload).not.toHaveProperty("unreadable");
  });

  it.each([
    ["sessionStart", "session:start", { trigger: "new", prompt: "please run echo hi" }],
    ["sessionEnd", "session:end", { reason: "complete" }],
    ["userPromptSubmitted", "prompt:submit", { prompt: "please run echo hi" }],
    ["userPromptTransformed", "copilot:user_prompt_transformed", { prompt: "please run echo hi" }],
    ["preToolUse", "tool:before", { tool: { ...shell, input: { command: "echo hi", description: "run a command" } } }],
    ["permissionRequest", "permission:asked", { tool: shell }],
    ["postToolUse", "tool:after", { status: "ok", tool: { ...shell, output: { resultType: "success" } } }],
    [
      "postToolUseFailure",
      "tool:after",
      { status: "error", error: "Path does not exist", tool: { name: "Read", runtimeName: "view", isError: true } },
    ],
    ["agentStop", "finish:before", { reason: "end_turn", isAgain: false }],
    ["notification", "notification:sent", { kind: "permission_prompt", title: "Permission needed" }],
  ])("%s becomes %s", (name, event, fields) => {
    const translated = translate(name, camel[name]);
    expect(translated.event).toBe(event);
    expect(translated.payload).toMatchObject(fields);
  });

  it.each([
    ["SessionStart", "session:start", { trigger: "new" }],
    ["UserPromptSubmit", "prompt:submit", { prompt: expect.stringContaining("FAKE") }],
    ["PreToolUse", "tool:before", { tool: { name: "Bash", input: { description: "run a command" } } }],
    ["PermissionRequest", "permission:asked", { tool: { name: "Bash", runtimeName: "bash" } }],
    ["PostToolUse", "tool:after", { status: "ok", tool: { name: "Bash", output: { result_type: "success" } } }],
    ["PostToolUseFailure", "tool:after", { status: "error", tool: { name: "Read", isError: true, input: { path: "/nonexistent/x" } } }],
    ["Stop", "finish:before", { reason: "end_turn", transcript: expect.stringMatching(/events\.jsonl$/) }],
    ["SessionEnd", "session:end", { reason: "complete" }],
  ])("%s, its other spelling, becomes %s", (name, event, fields) => {
    const translated = translate(name, pascal[name]);
    expect(translated.event).toBe(event);
    expect(translated.payload).toMatchObject(fields);
  });

  it("reads the events that were not captured", () => {
    const usual = { sessionId: "s", timestamp: 1, cwd: "/srv/project" };
    const error = { message: "refused", name: "Error" };
    expect(translate("errorOccurred", { ...usual, error, errorContext: "model_call" })).toMatchObject({
      event: "session:error",
      payload: { error, kind: "model_call" },
    });
    expect(translate("preCompact", { ...usual, trigger: "auto" })).toMatchObject({ event: "compact:before", payload: { trigger: "auto" } });
    expect(translate("preMcpToolCall", { ...usual, serverName: "files", toolName: "read" })).toMatchObject({
      event: "mcp:tool_call",
      payload: { server: "files", target: "read" },
    });
  });

  it.each(Object.keys(subagent))("puts a subagent's %s into the session that the user sees", (name) => {
    const { payload } = translate(name, subagent[name]);
    expect(payload).toMatchObject({ session: { id: root }, agent: { name: "task", id: "41b1e631-ea69-4e23-a30b-79ef732d22f5" } });
  });

  it("knows a subagent's beginning and end", () => {
    const worker = { id: "41b1e631-ea69-4e23-a30b-79ef732d22f5", name: "task" };
    expect(translate("subagentStart", subagent.subagentStart)).toMatchObject({
      event: "worker:spawned",
      payload: { worker: { ...worker, status: "running" } },
    });
    expect(translate("subagentStop", subagent.subagentStop)).toMatchObject({
      event: "worker:completed",
      payload: { worker: { ...worker, status: "completed" }, message: expect.stringContaining("DONE") },
    });
  });

  it("has one key for a call in both spellings, and another for a rewritten call", () => {
    const [one, other] = [translate("preToolUse", twice.camelCase).key, translate("PreToolUse", twice.fromClaudeSettings).key];
    expect(one).toBeDefined();
    expect(other).toBe(one);
    expect(translate("PreToolUse", { ...twice.fromClaudeSettings, tool_input: { command: "true" } }).key).not.toBe(one);
    expect(translate("postToolUse", twice.camelCase).key).not.toBe(one);
    for (const timestamp of [undefined, {}, "never"])
      expect(translate("preToolUse", { ...twice.camelCase, timestamp }).key).toBeUndefined();
  });

  it.each([...Object.keys(events), "PreToolUse", "Stop"])("accepts a malformed %s and reports what could not be read", (name) => {
    for (const rubbish of [
      undefined,
      null,
      "x",
      1,
      [],
      { sessionId: 1, toolArgs: "x", toolName: {}, prompt: [], agentId: {}, timestamp: [] },
    ])
      expect(translate(name, rubbish).payload.unreadable).not.toHaveLength(0);
  });

  it("gives an unknown event a custom name", () => {
    expect(translate("postResult", camel.sessionEnd)).toMatchObject({ event: "copilot:post_result", payload: { cwd: "/srv/project" } });
    expect(translate("__proto__", {}).event).toBe("copilot:_proto_");
    expect(translate("constructor", {}).event).toBe("copilot:constructor");
  });
});
