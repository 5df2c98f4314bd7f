import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type AgentDecision, PASS } from "../shared/definition.js";
import { qwen } from "./definition.js";

type Json = { readonly [key: string]: unknown };
const sent: { readonly [event: string]: Json } = JSON.parse(readFileSync(new URL("./fixtures/captured.json", import.meta.url), "utf8"));
const asked = (native: string, more: Json = {}) => qwen.translate(native, { ...sent[native], ...more });
const deny: AgentDecision = { ...PASS, verdict: "deny", reason: "no" };

it.each([
  ["PreToolUse", "tool:before", { tool: { name: "Bash", runtimeName: "run_shell_command", input: { command: "touch ran" } } }],
  ["PostToolUse", "tool:after", { status: "ok", tool: { durationMs: 19 } }],
  ["PostToolUseFailure", "tool:after", { status: "error", error: "File not found: /nonexistent", tool: { name: "Read", isError: true } }],
  ["UserPromptSubmit", "prompt:submit", { prompt: "please run touch ran" }],
  ["SubagentStart", "worker:spawned", { worker: { name: "general-purpose", status: "running" } }],
  ["Stop", "finish:before", { isAgain: false }],
])("%s becomes %s", (native, event, fields) => {
  expect(asked(native)).toMatchObject({ event, payload: { agent: { platform: "qwen" }, cwd: "/srv/project", ...fields } });
});

it("tells a prompt from what it sends after each call", () => {
  expect(asked("UserPromptSubmit", { prompt: "", submitted_prompt: undefined }).event).toBe("qwen:prompt_continued");
  expect(asked("UserPromptSubmit", { prompt: "" }).event).toBe("prompt:submit");
});

it("denies with a document and an exit code with text, because an exit code without text does not block", () => {
  expect(qwen.reply("PreToolUse", deny, asked("PreToolUse"))).toEqual({
    stdout: '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}',
    stderr: "no\n",
    exitCode: 2,
  });
  expect(qwen.reply("PreToolUse", { ...deny, reason: " " }, asked("PreToolUse")).stderr.trim()).not.toBe("");
  expect(qwen.reply("PostToolUse", { ...PASS, injections: ["mind"] }, asked("PostToolUse")).stdout).toContain('"additionalContext":"mind"');
});

it("writes times that no version takes for seconds", () => {
  const entries = qwen.install.file.entries({ command: (event) => `client ${event}`, timeoutSeconds: () => 10 });
  expect(entries.PreToolUse).toEqual([{ hooks: [expect.objectContaining({ command: "client PreToolUse", timeout: 10_000 })] }]);
  expect(entries).not.toHaveProperty("MessageDisplay");
});

it("knows the options that switch its hooks off", () => {
  const start = { env: {}, cwd: "/", target: "user", path: "/x", hasHooks: () => false } as const;
  expect(qwen.install.optionsOff?.({ ...start, args: ["--safe-mode"] })).toContain("--safe-mode");
  expect(qwen.install.optionsOff?.({ ...start, args: ["-p", "safe"] })).toBeUndefined();
});
