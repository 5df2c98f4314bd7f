import { readFileSync } from "node:fs";
import { findEvent } from "@hookline/core";
import { describe, expect, test } from "vitest";
import { type CodexEvent, events } from "./events.js";
import { translate } from "./translate.js";

type Payloads = { readonly [name: string]: { readonly [key: string]: unknown } };
const fixture = (name: string): Payloads => JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8"));
const sent = fixture("captured");
const tools = fixture("tools");

/** What each fixture must become, besides the usual fields. */
const expected: { readonly [N in CodexEvent]: readonly [event: string, payload: object] } = {
  SessionStart: ["session:start", { trigger: "startup", agent: { model: "fake-model" } }],
  SessionEnd: ["session:end", { reason: "other" }],
  UserPromptSubmit: ["prompt:submit", { prompt: sent.UserPromptSubmit?.prompt }],
  PreModelRequest: ["llm:before", { agent: { model: "fake-model" } }],
  PostModelRequest: ["llm:after", { usage: { inputTokens: 10, outputTokens: 5 } }],
  PreToolUse: ["tool:before", { tool: { name: "Bash", callId: "call_4c14d9bd48484262a442" } }],
  PostToolUse: ["tool:after", { status: "ok", tool: { name: "Bash", output: "ran\n" } }],
  PermissionRequest: ["permission:asked", { tool: { name: "Bash", input: { command: "touch old", description: "please" } } }],
  PreCompact: ["compact:before", { trigger: "auto" }],
  PostCompact: ["compact:after", { trigger: "auto" }],
  SubagentStart: ["worker:spawned", { worker: { id: sent.SubagentStart?.agent_id, name: "default", status: "running" } }],
  SubagentStop: [
    "worker:completed",
    { worker: { id: sent.SubagentStop?.agent_id, metadata: { transcript: sent.SubagentStop?.agent_transcript_path } } },
  ],
  Stop: ["finish:before", { isAgain: false, message: sent.Stop?.last_assistant_message }],
  Interrupt: ["agent:end", { reason: "interrupted" }],
};

describe("every event", () => {
  test.each(Object.keys(events) as CodexEvent[])("%s", (name) => {
    const payload = sent[name];
    const translated = translate(name, payload);
    const [event, says] = expected[name];
    expect(translated.event).toBe(event);
    expect(findEvent(event)).toBeDefined();
    expect(translated.payload).toMatchObject({
      session: { id: payload?.session_id },
      agent: { platform: "codex" },
      cwd: "/srv/project",
      ...says,
    });
    expect(translated.payload.raw).toBe(payload);
    expect(translated.payload).not.toHaveProperty("unreadable");
  });

  test("there is a fixture for each", () => expect(Object.keys(sent).sort()).toEqual(Object.keys(events).sort()));
});

describe("who, where and which call", () => {
  test("a tool call: turn, and a key that both deliveries share", () => {
    const { payload, key } = translate("PreToolUse", sent.PreToolUse);
    expect(payload.turn).toEqual({ id: "01a1e09f-49a6-75c0-98c7-b612f2559748" });
    expect(key).toBe("01a1e09f-4979-78e3-9709-039d2a2dc5ff tool:before call_4c14d9bd48484262a442");
    expect(translate("PermissionRequest", sent.PermissionRequest)).not.toHaveProperty("key");
  });

  test("a subagent's call belongs to the session and names the subagent", () => {
    const native = tools["in a subagent"];
    expect(translate("PreToolUse", native).payload).toMatchObject({
      session: { id: native?.session_id },
      agent: { name: "default", id: native?.agent_id, platform: "codex" },
    });
  });

  test("tools under the names that rules use", () => {
    expect(translate("PreToolUse", tools.view_image).payload.tool).toMatchObject({
      name: "Read",
      runtimeName: "view_image",
      input: { path: "/tmp/none.png" },
    });
    expect(translate("PreToolUse", tools.spawn_agent).payload.tool).toMatchObject({ name: "Task", runtimeName: "spawn_agent" });
  });

  test("a patch says which files it touches", () => {
    const patch = (text: string) =>
      translate("PreToolUse", { ...sent.PreToolUse, tool_name: "apply_patch", tool_input: { command: text } }).payload.tool;
    const one = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-x\n+y\n*** End Patch";
    expect(patch(one)).toMatchObject({
      name: "Edit",
      runtimeName: "apply_patch",
      input: { command: one, path: "src/a.ts", paths: ["src/a.ts"] },
    });
    const many = patch("*** Add File: a\n+1\n*** Update File: b\n*** Move to: c\n*** Delete File: d\n*** Delete File: d");
    expect(many).toMatchObject({ input: { paths: ["a", "b", "c", "d"] } });
    expect((many as { input: object }).input).not.toHaveProperty("path");
  });

  test("a request to the model that failed", () => {
    const failed = translate("PostModelRequest", { ...sent.PostModelRequest, status: "failed", error: "overloaded", token_usage: null });
    expect(failed).toMatchObject({ event: "llm:error", payload: { error: "overloaded" } });
    expect(failed.payload).not.toHaveProperty("usage");
  });
});

describe("unknown input", () => {
  test("an unknown event becomes a custom event of the agent", () => {
    const { event, payload } = translate("SomethingNew", { session_id: "s", new_field: 1 });
    expect(event).toBe("codex:something_new");
    expect(payload).toMatchObject({ session: { id: "s" }, raw: { new_field: 1 } });
  });

  const odd = { session_id: 5, tool_name: {}, tool_input: "rm", cwd: [], token_usage: 7, status: {} };
  const wrong = [undefined, null, 1, "text", [], true, {}, odd, { ...sent.PreToolUse, tool_name: "apply_patch", tool_input: 5 }];
  test.each(Object.keys(events))("%s of any wrong type is read as far as possible", (name) => {
    for (const payload of wrong) {
      const translated = translate(name, payload);
      expect(findEvent(translated.event)).toBeDefined();
      expect(translated.payload.raw).toBe(payload);
    }
    expect(translate(name, odd).payload.unreadable).toContain("session_id");
  });
});
