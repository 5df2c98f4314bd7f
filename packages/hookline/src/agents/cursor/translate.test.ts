import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { events } from "./events.js";
import { translate } from "./translate.js";

// Written from the documentation, not captured.
const payloads = JSON.parse(readFileSync(new URL("fixtures/documented.json", import.meta.url), "utf8")) as {
  readonly [event: string]: { readonly [field: string]: unknown };
};

describe("Cursor's events", () => {
  it("have the session, the folder and the tool in common words", () => {
    expect(translate("preToolUse", payloads.preToolUse)).toMatchObject({
      event: "tool:before",
      key: "c-1 tool:before abc123",
      payload: {
        session: { id: "c-1" },
        agent: { model: "model", platform: "cursor" },
        cwd: "/project",
        tool: { name: "Bash", runtimeName: "Shell", callId: "abc123", input: { command: "npm install" } },
      },
    });
    expect(translate("beforeSubmitPrompt", payloads.beforeSubmitPrompt)).toMatchObject({
      event: "prompt:submit",
      payload: { cwd: "/project", prompt: "Run the tests" },
    });
  });

  it("have the result of a call, and its failure", () => {
    expect(translate("postToolUse", payloads.postToolUse).payload).toMatchObject({
      status: "ok",
      tool: { output: { exitCode: 0, stdout: "All tests passed" }, durationMs: 5432 },
    });
    expect(translate("postToolUse", { ...payloads.postToolUse, tool_output: "plain" }).payload).toMatchObject({
      tool: { output: "plain" },
    });
    expect(translate("postToolUseFailure", payloads.postToolUseFailure).payload).toMatchObject({
      status: "error",
      tool: { isError: true },
      error: { message: "Command timed out after 30s", type: "timeout" },
    });
  });

  it("name a subagent, and whether the end is a repeated one", () => {
    expect(translate("subagentStart", payloads.subagentStart).payload).toMatchObject({ worker: { id: "abc-123", status: "running" } });
    expect(translate("subagentStop", payloads.subagentStop).payload).toMatchObject({
      worker: { name: "generalPurpose" },
      message: "Found it",
    });
    expect(translate("stop", { ...payloads.stop, loop_count: 2 }).payload.isAgain).toBe(true);
  });

  it.each(Object.keys(events))("may be malformed: %s", (name) => {
    for (const rubbish of [undefined, null, "x", 1, [], { conversation_id: 1, tool_input: "x", tool_name: {}, prompt: [] }])
      expect(translate(name, rubbish).payload.unreadable).not.toHaveLength(0);
  });
});
