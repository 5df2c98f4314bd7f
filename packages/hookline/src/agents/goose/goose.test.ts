import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { agentAt, contractFor } from "../shared/contract.js";
import { canDo, PASS } from "../shared/definition.js";
import { goose } from "./definition.js";

type Json = { readonly [key: string]: unknown };
const sent: { readonly [event: string]: Json } = JSON.parse(readFileSync(new URL("./fixtures/captured.json", import.meta.url), "utf8"));

it.each([
  ["PreToolUse", "tool:before", { cwd: "/srv/project", tool: { name: "Bash", runtimeName: "shell", input: { command: "touch ran" } } }],
  ["PostToolUse", "tool:after", { status: "ok" }],
  ["UserPromptSubmit", "prompt:submit", { prompt: "please run touch ran" }],
  ["SessionStart", "session:start", {}],
])("%s becomes %s", (native, event, fields) => {
  expect(goose.translate(native, sent[native])).toMatchObject({ event, payload: { agent: { platform: "goose" }, ...fields } });
});

it("knows the tools of newer versions by the name of their extension", () => {
  const payload = { ...sent.PreToolUse, tool_name: "developer__shell", tool_call_id: "c1" };
  expect(goose.translate("PreToolUse", payload)).toMatchObject({
    payload: { tool: { name: "Bash", callId: "c1" } },
    key: expect.any(String),
  });
});

it("can be denied nothing in 1.34, and calls in later versions", () => {
  expect(canDo(agentAt(goose, "1.34.0"), "PreToolUse", "block")).toBe(false);
  expect(canDo(agentAt(goose, "1.36.2"), "PreToolUse", "block")).toBe(true);
  expect(contractFor(goose.contracts, "1.36.2")).toMatchObject({ standing: "newer", contract: { source: { tried: "documentation" } } });
});

it("denies as newer versions document it", () => {
  const asked = goose.translate("PreToolUse", sent.PreToolUse);
  expect(goose.reply("PreToolUse", { ...PASS, verdict: "deny", reason: "no" }, asked)).toEqual({ stdout: "", stderr: "no\n", exitCode: 2 });
  const strict = goose.install.file.entries({ command: () => "client", timeoutSeconds: () => 600, strict: true });
  expect(strict.PreToolUse).toEqual([
    { matcher: ".*", hooks: [{ type: "command", command: "client", timeout: 600, on_failure: "block" }] },
  ]);
  expect(JSON.stringify(strict.Stop)).not.toContain("on_failure");
});
