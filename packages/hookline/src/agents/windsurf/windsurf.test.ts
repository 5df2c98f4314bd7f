import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type AgentDecision, PASS } from "../shared/definition.js";
import { windsurf } from "./definition.js";

type Json = { readonly [key: string]: unknown };
// Written from the documentation, not captured.
const sent: { readonly [event: string]: Json } = JSON.parse(readFileSync(new URL("./fixtures/documented.json", import.meta.url), "utf8"));
const asked = (native: string, more: Json = {}) => windsurf.translate(native, { ...sent[native], ...more });
const said = (native: string, decision: Partial<AgentDecision>) => windsurf.reply(native, { ...PASS, ...decision }, asked(native));
const rewritten = (native: string, input: Json): Partial<AgentDecision> => {
  const { payload } = asked(native);
  return { modified: true, payload: { ...payload, tool: { ...(payload.tool as object), input } } };
};

it.each([
  [
    "pre_run_command",
    "tool:before",
    { cwd: "/project", tool: { name: "Bash", runtimeName: "run_command", input: { command: "npm test" } } },
  ],
  ["pre_read_code", "tool:before", { tool: { name: "Read", input: { path: "/project/a.ts" } } }],
  ["pre_write_code", "tool:before", { tool: { name: "Edit", input: { path: "/project/a.ts" } } }],
  ["pre_mcp_tool_use", "tool:before", { tool: { name: "mcp__github__create_issue", input: { title: "x" } } }],
  ["post_mcp_tool_use", "tool:after", { status: "ok", tool: { output: "done" } }],
  ["pre_user_prompt", "prompt:submit", { prompt: "Run the tests" }],
  ["post_cascade_response", "turn:end", { assistant_response: "All passed" }],
])("%s becomes %s", (native, event, fields) => {
  const common = { session: { id: "t-1" }, turn: { id: "e-1" }, agent: { platform: "windsurf", model: "model" } };
  expect(asked(native)).toMatchObject({ event, payload: { ...common, ...fields } });
  expect(asked(native).payload).not.toHaveProperty("unreadable");
});

it("denies with an exit code, and says nothing otherwise", () => {
  expect(said("pre_run_command", { verdict: "deny", reason: "no" })).toEqual({ stdout: "", stderr: "no\n", exitCode: 2 });
  expect(said("pre_user_prompt", { verdict: "deny", reason: "no" }).exitCode).toBe(2);
  expect(said("pre_run_command", rewritten("pre_run_command", { command: "ls" })).exitCode).toBe(2);
  expect(said("pre_run_command", {})).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  expect(said("post_run_command", { verdict: "deny", reason: "no" })).toEqual({ stdout: "", stderr: "", exitCode: 0 });
});

it("sends a sample as the event that the tool has", () => {
  const read = windsurf.samples.call("pre_run_command", { name: "read_code", input: { path: "/a" } }, { session: "s", cwd: "/" });
  expect(read).toMatchObject({ agent_action_name: "pre_read_code", tool_info: { file_path: "/a" } });
});
