import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type AgentDecision, PASS } from "../shared/definition.js";
import { kiro } from "./definition.js";

type Json = { readonly [key: string]: unknown };
// Written from the documentation, not captured.
const sent: { readonly [event: string]: Json } = JSON.parse(readFileSync(new URL("./fixtures/documented.json", import.meta.url), "utf8"));
const asked = (native: string, more: Json = {}) => kiro.translate(native, { ...sent[native], ...more });
const said = (native: string, decision: Partial<AgentDecision>) => kiro.reply(native, { ...PASS, ...decision }, asked(native));
const rewritten = (native: string, input: Json): Partial<AgentDecision> => {
  const { payload } = asked(native);
  return { modified: true, payload: { ...payload, tool: { ...(payload.tool as object), input } } };
};

it.each([
  ["SessionStart", "session:start", {}],
  ["UserPromptSubmit", "prompt:submit", { prompt: "Run the tests" }],
  ["PreToolUse", "tool:before", { tool: { name: "Bash", runtimeName: "execute_bash", input: { command: "npm test" } } }],
  ["PostToolUse", "tool:after", { status: "ok", tool: { name: "Read", input: { paths: ["/project/a", "/project/b"] } } }],
  ["Stop", "finish:before", {}],
])("%s becomes %s", (native, event, fields) => {
  const common = { session: { id: "s-1" }, agent: { platform: "kiro" }, cwd: "/project" };
  expect(asked(native)).toMatchObject({ event, payload: { ...common, ...fields } });
});

it("takes the sessions of a folder for one where it names none", () => {
  expect(asked("PreToolUse", { session_id: undefined }).payload).toMatchObject({ session: { id: "kiro in /project" } });
});

it("denies with an exit code, and tells the model with text", () => {
  expect(said("PreToolUse", { verdict: "deny", reason: "no" })).toEqual({ stdout: "", stderr: "no\n", exitCode: 2 });
  expect(said("UserPromptSubmit", { injections: ["mind"] })).toEqual({ stdout: "mind", stderr: "", exitCode: 0 });
  expect(said("PreToolUse", rewritten("PreToolUse", { command: "ls" })).exitCode).toBe(2);
  expect(said("PostToolUse", { verdict: "deny" })).toEqual({ stdout: "", stderr: "", exitCode: 0 });
});

it("finds a hook of its file that is switched on", () => {
  const text = String(kiro.install.file.entries({ command: (event) => `run ${event}`, timeoutSeconds: () => 600 }).plugin?.[0]);
  expect(kiro.install.entryIn?.(text, "PreToolUse")).toEqual({ command: "run PreToolUse", timeout: 600 });
  expect(kiro.install.entryIn?.(text, "PostFileSave")).toBeUndefined();
  expect(kiro.install.entryIn?.(text.replaceAll("true", "false"), "PreToolUse")).toBeUndefined();
  expect(kiro.install.entryIn?.("{", "PreToolUse")).toBeUndefined();
});
