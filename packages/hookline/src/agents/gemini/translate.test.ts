import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { events } from "./events.js";
import { translate } from "./translate.js";

type Payloads = { readonly [event: string]: { readonly [key: string]: unknown } };
const payloads: Payloads = JSON.parse(readFileSync(new URL("./fixtures/payloads.json", import.meta.url), "utf8"));
const session = { id: "38d39005-9dad-407b-a091-3bc3df52311f" };

describe("translate", () => {
  it.each(Object.keys(payloads))("says whose %s it is and keeps the agent's own words", (name) => {
    const { payload } = translate(name, payloads[name]);
    expect(payload).toMatchObject({ session, cwd: "/srv/project", agent: { platform: "gemini" } });
    expect(payload.transcript).toMatch(/\.jsonl$/);
    expect(payload).not.toHaveProperty("unreadable");
    if (name !== "AfterModel") expect(payload.raw).toEqual(payloads[name]);
  });

  it.each([
    ["SessionStart", "session:start", { trigger: "startup" }],
    ["SessionEnd", "session:end", { reason: "exit" }],
    ["BeforeAgent", "prompt:submit", { prompt: "please run echo hi" }],
    ["AfterAgent", "finish:before", { prompt: "please run echo hi", isAgain: false }],
    ["BeforeModel", "llm:before", { agent: { model: "gemini-2.5-flash", platform: "gemini" } }],
    ["BeforeToolSelection", "gemini:before_tool_selection", { agent: { model: "gemini-2.5-flash" } }],
    ["AfterModel", "llm:after", { usage: { inputTokens: 10, outputTokens: 5 } }],
    ["BeforeTool", "tool:before", { tool: { name: "Bash", runtimeName: "run_shell_command", input: { command: "echo hi" } } }],
    ["AfterTool", "tool:after", { status: "ok", tool: { name: "Bash", output: { returnDisplay: "hi" } } }],
    ["PreCompress", "compact:before", { trigger: "auto" }],
  ])("%s becomes %s", (name, event, fields) => {
    const translated = translate(name, payloads[name]);
    expect(translated.event).toBe(event);
    expect(translated.payload).toMatchObject(fields);
  });

  it("says what a notification is about", () => {
    const native = {
      session_id: "s",
      notification_type: "ToolPermission",
      message: "Tool Shell requires execution",
      details: { type: "exec" },
    };
    expect(translate("Notification", native)).toMatchObject({
      event: "notification:sent",
      payload: { kind: "ToolPermission", message: native.message },
    });
  });

  it("tells a streamed chunk from the last one, and does not repeat the conversation", () => {
    const chunk = { ...payloads.AfterModel, llm_response: { text: "Hel", candidates: [{ content: { role: "model", parts: ["Hel"] } }] } };
    const { event, payload, key } = translate("AfterModel", chunk);
    expect([event, payload.message, key]).toEqual(["message:delta", "Hel", undefined]);
    expect(payload.raw).not.toHaveProperty("llm_request");
  });

  it("fills in the path of file tools", () => {
    const input = { file_path: "/srv/project/a.ts", content: "x" };
    const { payload } = translate("BeforeTool", { ...payloads.BeforeTool, tool_name: "write_file", tool_input: input });
    expect(payload.tool).toEqual({ name: "Write", runtimeName: "write_file", input: { ...input, path: "/srv/project/a.ts" } });
  });

  it("names a tool of an MCP server as Claude Code does", () => {
    const native = { ...payloads.BeforeTool, tool_name: "mcp_files_read", mcp_context: { server_name: "files", tool_name: "read" } };
    expect(translate("BeforeTool", native).payload.tool).toMatchObject({ name: "mcp__files__read", runtimeName: "mcp_files_read" });
  });

  it("knows a failed tool", () => {
    const response = { llmContent: "no such file", error: { message: "no such file", type: "file_not_found" } };
    const { payload } = translate("AfterTool", { ...payloads.AfterTool, tool_response: response });
    expect(payload).toMatchObject({ status: "error", tool: { isError: true }, error: response.error });
  });

  it("has one key for two deliveries of an event and another for the next event", () => {
    const next = { ...payloads.BeforeTool, timestamp: "2026-11-15T19:14:26.579Z" };
    const other = { ...payloads.BeforeTool, tool_input: { command: "echo ho" } };
    const keys = [payloads.BeforeTool, structuredClone(payloads.BeforeTool), next, other].map(
      (native) => translate("BeforeTool", native).key,
    );
    expect(keys[0]).toBe(keys[1]);
    expect(new Set(keys).size).toBe(3);
    expect(translate("BeforeTool", {}).key).toBeUndefined();
  });

  it.each(Object.keys(events))("accepts a malformed %s and reports what could not be read", (name) => {
    for (const rubbish of [
      undefined,
      null,
      "x",
      1,
      [],
      { session_id: 1, tool_input: "x", tool_name: {}, prompt: [], llm_request: 1, llm_response: "x" },
    ])
      expect(translate(name, rubbish).payload.unreadable).not.toHaveLength(0);
  });

  it("gives an unknown event a custom name", () => {
    expect(translate("AfterEverything", payloads.SessionEnd)).toMatchObject({ event: "gemini:after_everything", payload: { session } });
    expect(translate("__proto__", {}).event).toBe("gemini:_proto_");
  });
});
