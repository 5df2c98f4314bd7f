import { readFileSync } from "node:fs";
import { findEvent } from "@hookline/core";
import { describe, expect, test } from "vitest";
import { type ClaudeEvent, events } from "./events.js";
import { translate } from "./translate.js";

type Payloads = { readonly [name: string]: { readonly [key: string]: unknown } };
const fixture = (name: string): Payloads => JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8"));
const sent: Payloads = { ...fixture("captured"), ...fixture("from-schema") };
const tools = fixture("tools");

/** What each fixture must become, besides the usual fields. */
const expected: { readonly [N in ClaudeEvent]: readonly [event: string, payload: object] } = {
  PreToolUse: ["tool:before", { tool: { name: "Bash", callId: "toolu_ff60a9d21dd248f79ccb3a", input: { command: "echo hi" } } }],
  PostToolUse: ["tool:after", { status: "ok", tool: { name: "Bash", durationMs: 27, output: { stdout: "hi" } } }],
  PostToolUseFailure: ["tool:after", { status: "error", error: "Exit code 3", tool: { isError: true, input: { command: "exit 3" } } }],
  PostToolBatch: ["agent:step", { calls: [{ tool_name: "Bash" }] }],
  Notification: ["notification:sent", { message: "Claude needs your permission to use Bash", kind: "permission_prompt" }],
  UserPromptSubmit: ["prompt:submit", { prompt: sent.UserPromptSubmit?.prompt }],
  UserPromptExpansion: ["command:foo", { command: "foo", args: "bar", prompt: "/foo bar" }],
  SessionStart: ["session:start", { trigger: "startup" }],
  SessionEnd: ["session:end", { reason: "other" }],
  Stop: ["finish:before", { isAgain: false, message: sent.Stop?.last_assistant_message }],
  StopFailure: ["session:error", { error: "rate_limit", message: "429" }],
  SubagentStart: ["worker:spawned", { worker: { id: "ab8a5a57f9f677c20", name: "general-purpose", status: "running" } }],
  SubagentStop: [
    "worker:completed",
    { worker: { id: "ab8a5a57f9f677c20", status: "completed", metadata: { transcript: sent.SubagentStop?.agent_transcript_path } } },
  ],
  PreCompact: ["compact:before", { trigger: "manual" }],
  PostCompact: ["compact:after", { trigger: "manual", summary: "DONE: two" }],
  PreModelSwitch: ["claude-code:pre_model_switch", {}],
  PostModelSwitch: ["session:info", { from: "model-a", to: "model-b" }],
  PermissionRequest: ["permission:asked", { tool: { name: "Bash", input: { command: "touch old" } } }],
  PermissionDenied: ["permission:replied", { approval: { verdict: "deny", reason: "not asked for" }, tool: { name: "Bash" } }],
  Setup: ["claude-code:setup", {}],
  TeammateIdle: ["worker:waiting", { worker: { id: "tester", name: "tester", status: "waiting" } }],
  TaskCreated: ["task:created", { task: { id: "1", subject: "s", description: "d" } }],
  TaskCompleted: ["task:completed", { task: { id: "1", subject: "s" } }],
  Elicitation: ["mcp:elicitation", { server: "forms", message: "Which one?" }],
  ElicitationResult: ["mcp:elicitation_result", { server: "forms", action: "accept" }],
  ConfigChange: ["claude-code:config_change", { target: "/srv/home/.claude/settings.json" }],
  WorktreeCreate: ["claude-code:worktree_create", {}],
  WorktreeRemove: ["claude-code:worktree_remove", {}],
  InstructionsLoaded: ["claude-code:instructions_loaded", { target: "/srv/project/CLAUDE.md" }],
  CwdChanged: ["session:info", { cwd: "/tmp", from: "/srv/project" }],
  FileChanged: ["file:edited", { target: "/srv/project/.env", change: "change" }],
  DirectoryAdded: ["session:info", { target: "/srv/other" }],
  MessageDisplay: ["message:complete", { message: "Running." }],
};

describe("every event", () => {
  test.each(Object.keys(events) as ClaudeEvent[])("%s", (name) => {
    const payload = sent[name];
    const translated = translate(name, payload);
    const [event, says] = expected[name];
    expect(translated.event).toBe(event);
    expect(findEvent(event)).toBeDefined();
    expect(translated.payload).toMatchObject({
      session: { id: payload?.session_id },
      agent: { platform: "claude-code" },
      transcript: payload?.transcript_path,
      ...says,
    });
    expect(translated.payload.raw).toBe(payload);
    expect(translated.payload).not.toHaveProperty("unreadable");
  });

  test("there is a fixture for each", () => expect(Object.keys(sent).sort()).toEqual(Object.keys(events).sort()));
});

describe("who, where and which call", () => {
  test("a tool call: cwd, turn and a key that both deliveries share", () => {
    const { payload, key } = translate("PreToolUse", sent.PreToolUse);
    expect(payload).toMatchObject({ cwd: "/srv/project", turn: { id: "10693377-88f4-4898-ba8e-a9e00bee1327" }, permissionMode: "default" });
    expect(key).toBe("868e35e6-30dc-4d52-a3a6-4b7eb1b48375 tool:before toolu_ff60a9d21dd248f79ccb3a");
    expect(translate("PostToolUse", sent.PostToolUse).key).not.toBe(key);
    expect(translate("SessionStart", sent.SessionStart)).not.toHaveProperty("key");
  });

  test("a subagent's call belongs to the session and names the subagent", () => {
    const native = tools["in a subagent"];
    expect(translate("PreToolUse", native).payload).toMatchObject({
      session: { id: native?.session_id },
      agent: { name: "general-purpose", id: native?.agent_id, platform: "claude-code" },
    });
  });

  test.each(["Write", "Edit", "Read"])("%s: the path under its common name too", (name) => {
    const { payload } = translate("PreToolUse", tools[name]);
    expect(payload.tool).toMatchObject({ name, input: { path: "/srv/project/a.txt", file_path: "/srv/project/a.txt" } });
    expect(payload.tool).not.toHaveProperty("runtimeName");
  });

  test("a tool that runs commands is a shell to rules", () => {
    const { payload } = translate("PreToolUse", { ...sent.PreToolUse, tool_name: "Monitor", tool_input: { command: "tail -f x" } });
    expect(payload.tool).toMatchObject({ name: "Bash", runtimeName: "Monitor", input: { command: "tail -f x" } });
  });

  test("a subagent is started by the tool that rules call Task", () => {
    const { payload } = translate("PreToolUse", { ...sent.PreToolUse, tool_name: "Agent", tool_input: { prompt: "x" } });
    expect(payload.tool).toMatchObject({ name: "Task", runtimeName: "Agent" });
  });

  test("part of a message, and how a call ended", () => {
    expect(translate("MessageDisplay", { ...sent.MessageDisplay, final: false }).event).toBe("message:delta");
    const ended = (extra: object) => translate("PostToolUseFailure", { ...sent.PostToolUseFailure, ...extra }).payload.status;
    expect([ended({ is_interrupt: true }), ended({ is_timeout: true })]).toEqual(["cancelled", "timeout"]);
    expect(translate("PostToolUse", { ...sent.PostToolUse, tool_response: { interrupted: true } }).payload.status).toBe("cancelled");
  });

  test.each([
    ["git:push", "command:git:push"],
    ["/a b*", "command:a_b_"],
    ["", "command:unknown"],
    [7, "command:unknown"],
  ])("slash command %j is %s", (command_name, event) => {
    expect(translate("UserPromptExpansion", { ...sent.UserPromptExpansion, command_name }).event).toBe(event);
    expect(findEvent(event)?.spec.kind).toBe("gate");
  });
});

describe("unknown input", () => {
  test("an unknown event becomes a custom event of the agent", () => {
    for (const name of ["SomethingNew", "x y!", "", "__proto__", "constructor"]) {
      const { event, payload } = translate(name, { session_id: "s", new_field: 1 });
      expect(findEvent(event)?.spec.kind).toBe("observe");
      expect(payload).toMatchObject({ session: { id: "s" }, raw: { new_field: 1 } });
    }
    expect(translate("SomethingNew", {}).event).toBe("claude-code:something_new");
  });

  const wrong = [
    undefined,
    null,
    1,
    "text",
    [],
    [1],
    true,
    {},
    { session_id: 5, tool_name: {}, tool_input: "rm", cwd: [], tool_use_id: 9 },
  ];
  test.each(Object.keys(events))("%s of any wrong type is read as far as possible", (name) => {
    for (const payload of wrong) {
      const translated = translate(name, payload);
      expect(findEvent(translated.event)).toBeDefined();
      expect(translated.payload.raw).toBe(payload);
      expect(translated.payload.unreadable).toContain(payload === wrong.at(-1) || payload === wrong.at(-2) ? "session_id" : "payload");
    }
  });

  test("a tool without a name or with a malformed input is still a tool, and reported as unreadable", () => {
    const empty = translate("PreToolUse", {}).payload;
    expect(empty).toMatchObject({ tool: { name: "", input: {} }, unreadable: ["tool_name", "tool_input", "session_id"] });
    const odd = translate("PreToolUse", { ...sent.PreToolUse, tool_input: ["rm", "-r"] }).payload;
    expect(odd).toMatchObject({ tool: { input: { value: ["rm", "-r"] } }, unreadable: ["tool_input"] });
  });

  test("keys of prototypes are data", () => {
    const payload = JSON.parse('{"session_id":"s","tool_name":"__proto__","tool_input":{"__proto__":{"path":"x"},"constructor":1}}');
    const { payload: seen } = translate("PreToolUse", payload);
    expect((seen.tool as { input: object }).input).not.toHaveProperty("path");
    expect(Object.getPrototypeOf((seen.tool as { input: object }).input)).toBe(Object.prototype);
  });
});
