import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Hub, startHub } from "hookline/hub";
import { afterAll, beforeAll, expect, it } from "vitest";
import { removeFolder } from "../../../../../test/support/remove-folder.ts";
import { findAgent } from "../../agents/agents.js";
import { agentFaults, agentNotices } from "../../agents/attach/agent-faults.js";
import { applyAttach, planAttach } from "../../agents/attach/plan-attach.js";
import { attachFolder } from "../../agents/client/attach-key.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";

const home = mkdtempSync(join(tmpdir(), "hookline-test-"));
const env = { HOME: home, PATH: process.env.PATH };
for (const name of ["state", "run"]) mkdirSync(join(home, name), { mode: 0o700 });
const attach = attachFolder(join(home, "state"));
let hub: Hub;

function agentOf(id: string): AgentDefinition {
  return findAgent(id) as AgentDefinition;
}

beforeAll(async () => {
  for (const [id, isStrict] of [
    ["claude-code", true],
    ["gemini", true],
    ["codex", false],
  ] as const)
    applyAttach(
      planAttach({ agent: agentOf(id), target: "user", isStrict, env, cwd: home, folder: attach, socket: join(home, "run/http.sock") }),
    );
  writeFileSync(join(home, "hookline.toml"), "");
  hub = await startHub({
    state: join(home, "state"),
    runtime: join(home, "run"),
    config: join(home, "hookline.toml"),
    port: 0,
    onProblem: () => {},
  });
});
afterAll(async () => {
  await hub.close();
  await removeFolder(home);
});

let calls = 0;
/** The reply to a call in the folder. */
async function ask(id: string, cwd: string): Promise<string> {
  const dialect = agentOf(id);
  const [native = ""] = Object.entries(dialect.events).find(([, { event }]) => event === "tool:before") ?? [];
  const [name = ""] = Object.keys(dialect.tools);
  const tool = { name, input: { command: `echo ${calls++}` }, more: { tool_use_id: `t${calls}` } };
  const payload = dialect.samples.call(native, tool, { session: "s", cwd });
  const { stdout, stderr } = (await hub.parts.agents.answer({ dialect, native, payload }, new AbortController().signal)).reply;
  return stdout + stderr;
}

function put(name: string, file: string, text: string): { readonly cwd: string; readonly path: string } {
  const cwd = join(home, name);
  const path = join(cwd, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return { cwd, path };
}

const alarmsOf = (path: string): readonly string[] =>
  hub.parts.alarms.list().alarms.flatMap((alarm) => (alarm.path === path ? [alarm.text] : []));

it.each([
  ["claude-code", ".claude/settings.json", '{"env":{"SHELLOPTS":"noexec"}}', "env.SHELLOPTS"],
  ["claude-code", ".claude/settings.local.json", '{"env":{"LD_PRELOAD":"x.so"}}', "env.LD_PRELOAD"],
  ["gemini", ".env", "LD_AUDIT=x.so", "LD_AUDIT"],
  ["gemini", ".gemini/.env", "LD_TRACE_LOADED_OBJECTS=", "LD_TRACE_LOADED_OBJECTS"],
  ["gemini", "../.env", "LD_DEBUG=help", "LD_DEBUG"],
])("denies calls of strict %s while %s can silence its hooks", async (id, file, text, key) => {
  const { cwd, path } = put(`${id}-${key}/inner`, file, text);
  expect(await ask(id, cwd)).toEqual(expect.stringContaining(path));
  expect(await ask(id, cwd)).toEqual(expect.stringContaining(key));
  expect(alarmsOf(path)).toEqual([expect.stringContaining(key)]);
  rmSync(path);
  await expect.poll(() => ask(id, cwd)).not.toContain(key);
});

it("raises the alarm alone where the agent is not strict", async () => {
  const { cwd, path } = put("plain", ".codex/hooks.json", '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"mine.sh"}]}]}}');
  expect(await ask("codex", cwd)).toBe("");
  expect(alarmsOf(path)).toEqual([expect.stringContaining('"mine.sh" for PreToolUse')]);
});

it("tells of a project's hook that may rewrite calls, and lets calls pass", async () => {
  const text = '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"mine.sh"}]}]}}';
  const { cwd, path } = put("rewriting", ".claude/settings.json", text);
  expect(await ask("claude-code", cwd)).toBe("");
  expect(alarmsOf(path)).toEqual([expect.stringContaining('"mine.sh" for PreToolUse')]);
  const setting = { target: "user", env, cwd, path: join(home, ".claude/settings.json"), settings: undefined } as const;
  expect(agentNotices(agentOf("claude-code"), setting, attach)).toEqual([expect.stringContaining(path)]);
  expect(agentFaults(agentOf("claude-code"), setting)).toEqual([]);
});

it("takes no folder for a file, and no hook of Hookline for another's", async () => {
  const cwd = join(home, "quiet");
  mkdirSync(join(cwd, ".env"), { recursive: true });
  mkdirSync(join(cwd, ".git"));
  const agent = agentOf("claude-code");
  applyAttach(planAttach({ agent, target: "project", isStrict: true, env, cwd, folder: attach, socket: join(home, "run/http.sock") }));
  const setting = { target: "user", env, cwd, path: join(home, ".claude/settings.json"), settings: undefined } as const;
  expect([agentNotices(agent, setting, attach), agentFaults(agent, setting)]).toEqual([[], []]);
  expect(agentFaults(agentOf("gemini"), { ...setting, path: join(home, ".gemini/settings.json") })).toEqual([]);
});

it("looks at the settings that an option names, too", () => {
  const { cwd, path } = put("given", "mine.json", '{"env":{"CLAUDE_CODE_SHELL_PREFIX":"/usr/bin/true"}}');
  const setting = { target: "user", env, cwd, path: join(home, ".claude/settings.json"), settings: undefined } as const;
  const faults = (...args: string[]) => agentFaults(agentOf("claude-code"), { ...setting, args });
  expect(faults("--settings", "mine.json")).toEqual([expect.stringContaining(`"env.CLAUDE_CODE_SHELL_PREFIX" in ${path}`)]);
  expect(faults('--settings={"env":{"LD_PRELOAD":"x"}}')).toEqual([expect.stringContaining('"env.LD_PRELOAD" in --settings')]);
});

it("needs an empty value in managed settings for each variable that has a harmless one", () => {
  const { managed, surface } = agentOf("claude-code").install;
  const settings = managed !== undefined && "path" in managed ? (managed.file.settings ?? []) : [];
  const pinned = settings.filter(({ path }) => path[0] === "env");
  expect(pinned.every(({ value }) => value === "")).toBe(true);
  expect((surface?.variables ?? []).filter(({ name }) => !pinned.some(({ path }) => path[1] === name))).toEqual([
    { name: "LD_TRACE_LOADED_OBJECTS", isFlag: true },
  ]);
  const project = put("managed", ".claude/settings.json", '{"env":{"LD_PRELOAD":"x","LD_TRACE_LOADED_OBJECTS":"1"}}');
  const setting = { target: "managed", env, cwd: project.cwd, path: join(home, "none.json"), settings: undefined } as const;
  expect(agentFaults(agentOf("claude-code"), setting)).toEqual([expect.stringContaining("env.LD_TRACE_LOADED_OBJECTS")]);
});
