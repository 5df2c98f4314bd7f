import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { mergeYaml } from "../install/yaml-hooks.js";
import { type AgentDecision, PASS } from "../shared/definition.js";
import { hermes } from "./definition.js";

type Json = { readonly [key: string]: unknown };
// Written from the documentation, not captured.
const sent: { readonly [event: string]: Json } = JSON.parse(readFileSync(new URL("./fixtures/documented.json", import.meta.url), "utf8"));
const asked = (native: string, more: Json = {}) => hermes.translate(native, { ...sent[native], ...more });
const said = (native: string, decision: Partial<AgentDecision>) => hermes.reply(native, { ...PASS, ...decision }, asked(native));
const rewritten = (native: string, input: Json): Partial<AgentDecision> => {
  const { payload } = asked(native);
  return { modified: true, payload: { ...payload, tool: { ...(payload.tool as object), input } } };
};

it.each([
  ["pre_tool_call", "tool:before", { turn: { id: "turn-1" }, tool: { name: "Bash", runtimeName: "terminal", callId: "call-1" } }],
  ["post_tool_call", "tool:after", { status: "ok", tool: { output: "ok", durationMs: 12 } }],
  ["pre_llm_call", "prompt:submit", { prompt: "Run the tests", agent: { model: "model" } }],
  ["post_llm_call", "turn:end", { assistant_response: "All passed" }],
  ["pre_verify", "finish:before", { message: "Done", isAgain: true }],
  ["subagent_start", "worker:spawned", { worker: { id: "sub-1", name: "leaf", task: "Look", status: "running" } }],
  ["subagent_stop", "worker:completed", { worker: { status: "completed" }, message: "Found" }],
])("%s becomes %s", (native, event, fields) => {
  expect(asked(native)).toMatchObject({ event, payload: { session: { id: "s-1" }, cwd: "/project", ...fields } });
  expect(asked(native).payload).not.toHaveProperty("unreadable");
});

it("reports a call that failed", () => {
  const extra = { ...(sent.post_tool_call?.extra as Json), status: "timeout", error_message: "too long" };
  expect(asked("post_tool_call", { extra }).payload).toMatchObject({ status: "error", error: "too long", tool: { isError: true } });
});

it("denies with a document and an exit code, and sends a new input", () => {
  const deny = { stdout: '{"action":"block","message":"no"}', stderr: "no\n", exitCode: 2 };
  expect(said("pre_tool_call", { verdict: "deny", reason: "no" })).toEqual(deny);
  expect(said("pre_tool_call", rewritten("pre_tool_call", { command: "ls" })).stdout).toBe('{"action":"modify","args":{"command":"ls"}}');
  // It would keep the field that is gone.
  expect(said("pre_tool_call", rewritten("pre_tool_call", { other: "ls" }))).toMatchObject({ exitCode: 2 });
  expect(said("pre_llm_call", { injections: ["mind"] }).stdout).toBe('{"context":"mind"}');
  expect(said("pre_verify", { again: { reason: "more", by: "r" } }).stdout).toBe('{"action":"continue","message":"more"}');
  expect(said("pre_tool_call", {})).toEqual({ stdout: "", stderr: "", exitCode: 0 });
});

const entries = (strict: boolean) =>
  hermes.install.file.entries({ command: (event) => `exec '/s/attach/hermes.0.pl' ${event}`, timeoutSeconds: () => 600, strict });

it("lets a failing hook deny if that is wanted, with the longest timeout that it takes", () => {
  const command = `/bin/sh -c 'exec '\\''/s/attach/hermes.0.pl'\\'' pre_tool_call'`;
  expect(entries(true).pre_tool_call).toEqual([{ command, timeout: 300, fail_closed: true }]);
  expect(entries(false).pre_tool_call).toEqual([{ command, timeout: 300 }]);
  expect(JSON.stringify(entries(true).pre_llm_call)).not.toContain("fail_closed");
});

it("names the hooks that were not approved", () => {
  const home = join(testFolder(), ".hermes");
  mkdirSync(home);
  const path = join(home, "config.yaml");
  writeFileSync(path, mergeYaml("model: x\n", { entries: entries(true), marks: ["/s/attach/hermes."] }));
  const faults = (env: NodeJS.ProcessEnv = {}) => hermes.install.faults?.({ target: "user", env, cwd: "/", path, settings: undefined });
  expect(faults()).toEqual([expect.stringMatching(/^The hooks for on_session_start, .* were not approved/)]);
  expect(faults({ HERMES_ACCEPT_HOOKS: "1" })).toEqual([]);
  const approved = (names: readonly string[]) => names.map((event) => ({ event, ...(Object(entries(true)[event]?.[0]) as Json) }));
  const all = Object.keys(entries(true));
  writeFileSync(
    join(home, "shell-hooks-allowlist.json"),
    JSON.stringify({ approvals: approved(all.filter((name) => name !== "pre_verify")) }),
  );
  expect(faults()).toEqual([expect.stringContaining("The hook for pre_verify was not approved")]);
  writeFileSync(join(home, "shell-hooks-allowlist.json"), JSON.stringify({ approvals: approved(all) }));
  expect(faults()).toEqual([]);
  expect(
    hermes.install.optionsOff?.({ args: [], env: { HERMES_SAFE_MODE: "1" }, cwd: "/", target: "user", path, hasHooks: () => false }),
  ).toContain("HERMES_SAFE_MODE");
});
