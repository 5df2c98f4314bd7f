import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "smol-toml";
import { expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { type AgentDecision, PASS } from "../shared/definition.js";
import { kimi } from "./definition.js";

type Json = { readonly [key: string]: unknown };
const sent: { readonly [event: string]: Json } = JSON.parse(readFileSync(new URL("./fixtures/captured.json", import.meta.url), "utf8"));
const asked = (native: string, more: Json = {}) => kimi.translate(native, { ...sent[native], ...more });
const deny: AgentDecision = { ...PASS, verdict: "deny", reason: "no" };
const options = { command: (event: string) => `client ${event}`, timeoutSeconds: () => 9_000 };

it.each([
  ["PreToolUse", "tool:before", { tool: { name: "Bash", input: { command: "touch ran" }, callId: expect.stringMatching(/^call_/) } }],
  ["PostToolUse", "tool:after", { status: "ok", tool: { output: "Command executed successfully." } }],
  ["PostToolUseFailure", "tool:after", { status: "error", error: { code: "internal" }, tool: { isError: true } }],
  ["UserPromptSubmit", "prompt:submit", { prompt: "please run touch ran" }],
  ["SubagentStop", "worker:completed", { worker: { name: "coder", status: "completed" } }],
])("%s becomes %s", (native, event, fields) => {
  expect(asked(native)).toMatchObject({ event, payload: { agent: { platform: "kimi" }, cwd: "/srv/project", ...fields } });
});

it("cannot judge a prompt without text", () => {
  expect(asked("UserPromptSubmit", { prompt: [{ type: "image_url" }] }).payload.unreadable).toEqual(["prompt"]);
});

it("denies by exit code, also a prompt, and tells only prompts anything", () => {
  for (const native of ["PreToolUse", "UserPromptSubmit"])
    expect(kimi.reply(native, deny, asked(native))).toEqual({ stdout: "", stderr: "no\n", exitCode: 2 });
  const told = { ...PASS, injections: ["mind"] };
  expect(kimi.reply("UserPromptSubmit", told, asked("UserPromptSubmit")).stdout).toBe('{"message":"mind"}');
  expect(kimi.reply("PostToolUse", told, asked("PostToolUse")).stdout).toBe("");
});

it("writes only what its schema accepts", () => {
  const entries = kimi.install.file.entries(options);
  expect(entries.PreToolUse).toEqual([{ event: "PreToolUse", command: "client PreToolUse", timeout: 600 }]);
  expect(entries).not.toHaveProperty("TurnStarted");
});

it.each([
  ["an unknown field", { event: "Stop", command: "true", type: "command" }],
  ["an unknown event", { event: "Later", command: "true" }],
  ["a long timeout", { event: "Stop", command: "true", timeout: 601 }],
  ["no command", { event: "Stop" }],
])("reports that %s switches all hooks off", (_, hook) => {
  const path = join(testFolder(), "config.toml");
  const faults = (hooks: readonly unknown[]) => {
    writeFileSync(path, stringify({ hooks }));
    return kimi.install.faults?.({ target: "user", env: {}, cwd: "/", path, settings: undefined });
  };
  const ours = Object.values(kimi.install.file.entries(options)).flat();
  expect(faults(ours)).toEqual([]);
  expect(parse(readFileSync(path, "utf8")).hooks).toEqual(ours);
  expect(faults([...ours, hook])).toEqual([expect.stringContaining(`Hook ${ours.length + 1} in ${path}`)]);
});
