import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type AgentDecision, PASS } from "../shared/definition.js";
import { antigravity } from "./definition.js";

type Json = { readonly [key: string]: unknown };
// Written from the documentation, not captured.
const sent: { readonly [event: string]: Json } = JSON.parse(readFileSync(new URL("./fixtures/documented.json", import.meta.url), "utf8"));
const asked = (native: string, more: Json = {}) => antigravity.translate(native, { ...sent[native], ...more });
const said = (native: string, decision: Partial<AgentDecision>) => antigravity.reply(native, { ...PASS, ...decision }, asked(native));
const rewritten = (native: string, input: Json): Partial<AgentDecision> => {
  const { payload } = asked(native);
  return { modified: true, payload: { ...payload, tool: { ...(payload.tool as object), input } } };
};

it.each([
  ["PreToolUse", "tool:before", { tool: { name: "Bash", runtimeName: "run_command", callId: "3", input: { command: "npm test" } } }],
  ["PostToolUse", "tool:after", { status: "ok" }],
  ["Stop", "finish:before", { reason: "NO_TOOL_CALL" }],
])("%s becomes %s", (native, event, fields) => {
  const common = { session: { id: "c-1" }, agent: { platform: "antigravity", model: "model" }, cwd: "/project" };
  expect(asked(native)).toMatchObject({ event, payload: { ...common, ...fields } });
});

it("reports a call that failed, also without its tool", () => {
  expect(asked("PostToolUse", { toolCall: null, error: "no" }).payload).toMatchObject({ status: "error", error: "no" });
});

it("says a pass, and denies with a document alone", () => {
  expect(said("PreToolUse", {})).toEqual({ stdout: '{"decision":"allow"}', stderr: "", exitCode: 0 });
  expect(said("PreToolUse", { verdict: "deny", reason: "no" }).stdout).toBe('{"decision":"deny","reason":"no"}');
  expect(said("PreToolUse", { verdict: "ask", reason: "?" }).stdout).toContain('"deny"');
  expect(said("PreToolUse", rewritten("PreToolUse", { command: "ls" })).stdout).toContain('"deny"');
  expect(said("Stop", { again: { reason: "more", by: "r" } }).stdout).toBe('{"decision":"continue","reason":"more"}');
  expect(said("PostToolUse", { verdict: "deny" }).stdout).toBe("");
});

it("writes groups for calls, and handlers for the end", () => {
  const entries = antigravity.install.file.entries({ command: (event) => `run ${event}`, timeoutSeconds: () => 600 });
  expect(entries).toEqual({
    PreToolUse: [{ matcher: "", hooks: [{ type: "command", command: "run PreToolUse", timeout: 600 }] }],
    PostToolUse: [{ matcher: "", hooks: [{ type: "command", command: "run PostToolUse", timeout: 600 }] }],
    Stop: [{ type: "command", command: "run Stop", timeout: 600 }],
  });
});
