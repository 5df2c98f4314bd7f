import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";
import type { AgentStart } from "../shared/definition.js";
import { events } from "./events.js";
import { hookEntries, install, settingsPath } from "./install.js";

const command = (event: string) => `sh /state/attach/claude-code.sh ${event}`;
const timeoutSeconds = () => 60;
const http = { url: (event: string) => `http://127.0.0.1:1/${event}`, headers: { Authorization: "Bearer $KEY" }, allowedEnvVars: ["KEY"] };

test("one command for each event, except those that are left alone, too frequent or useless", () => {
  const entries = hookEntries({ command, timeoutSeconds });
  const left = Object.keys(events).filter((name) => !(name in entries));
  expect(left).toEqual(["PostToolBatch", "WorktreeCreate", "WorktreeRemove", "MessageDisplay"]);
  expect(entries.PreToolUse).toEqual([{ hooks: [{ type: "command", command: command("PreToolUse"), timeout: 60 }] }]);
  for (const groups of Object.values(entries)) expect(groups[0]).not.toHaveProperty("matcher");
});

test("http for the events that Claude Code posts and reads; a command for the rest, and for outputs that must be withheld without a hub", () => {
  const entries = hookEntries({ command, timeoutSeconds, http });
  const commands = Object.keys(entries).filter((name) => entries[name]?.[0].hooks[0].type === "command");
  expect(commands).toEqual(["PostToolUse", "SessionStart", "PreCompact", "Setup"]);
  expect(entries.MessageDisplay?.[0].hooks[0]).toEqual({
    type: "http",
    url: "http://127.0.0.1:1/MessageDisplay",
    headers: { Authorization: "Bearer $KEY" },
    allowedEnvVars: ["KEY"],
    timeout: 60,
  });
});

test("strict: a hook that fails blocks what can be blocked", () => {
  const entries = hookEntries({ command, timeoutSeconds, strict: true });
  const blocking = Object.keys(entries).filter((name) => entries[name]?.[0].hooks[0].onFailure === "block");
  expect(blocking).toEqual(["PreToolUse", "UserPromptSubmit", "UserPromptExpansion", "PreCompact", "PermissionRequest"]);
});

test("where the settings are", () => {
  expect(settingsPath("user", { HOME: "/h" }, "/p")).toBe("/h/.claude/settings.json");
  expect(settingsPath("user", { HOME: "/h", CLAUDE_CONFIG_DIR: "/c" }, "/p")).toBe("/c/settings.json");
  expect(settingsPath("project", { HOME: "/h" }, "/p")).toBe("/p/.claude/settings.local.json");
});

test("which options and variables leave out the hooks", () => {
  const cwd = testFolder();
  writeFileSync(join(cwd, "off.json"), '{ "disableAllHooks": true }');
  writeFileSync(join(cwd, "ours.json"), "{}");
  const off = (args: readonly string[], more: Partial<AgentStart> = {}) =>
    install.optionsOff?.({
      args,
      env: {},
      cwd,
      target: "user",
      path: join(cwd, "settings.json"),
      hasHooks: (path) => path === join(cwd, "ours.json"),
      ...more,
    });
  const bad: readonly (readonly string[])[] = [
    ["--bare"],
    ["--safe-mode"],
    ["--restricted"],
    ["--system-prompt", "--", "--bare"],
    ["--settings", '{"disableAllHooks":true}'],
    ['--settings= { "disableAllHooks": true }', "--settings", "{}"],
    ["--settings", "off.json"],
    ["--settings", join(cwd, "missing.json")],
    ["--settings", "not json {"],
    ["--settings", "{"],
    ["--setting-sources", ""],
    ["--setting-sources=project,local"],
  ];
  for (const args of bad) expect(off(args), args.join(" ")).toMatch(/hooks|settings/);
  const good: readonly (readonly string[])[] = [
    [],
    ["-p", "What does --bare do?"],
    ["--settings", '{"disableAllHooks":false}'],
    ["--setting-sources", "project, user"],
    ["--restricted", "--settings", "ours.json"],
  ];
  for (const args of good) expect(off(args), args.join(" ")).toBeUndefined();
  expect(off([], { env: { CLAUDE_CODE_SIMPLE: "1" } })).toContain("CLAUDE_CODE_SIMPLE=1");
  expect(off([], { env: { CLAUDE_CODE_SIMPLE: "0" } })).toBeUndefined();
  // The hooks of a project are in its local settings.
  expect(off(["--setting-sources", "user"], { target: "project" })).toContain("user");
  expect(off(["--setting-sources", "local"], { target: "project" })).toBeUndefined();
  expect(off(["--bare"], { target: "managed" })).toBeUndefined();
});

test("which variables in the user's own files leave out the hooks", () => {
  const home = testFolder();
  const path = settingsPath("user", { HOME: home }, home);
  mkdirSync(dirname(path));
  const faults = (target: "user" | "project") => {
    const own = settingsPath(target, { HOME: home }, join(home, "project"));
    return install.faults?.({ path: own, target, env: { HOME: home }, cwd: join(home, "project"), settings: {} }) ?? [];
  };
  for (const file of [path, join(home, ".claude.json"), join(home, ".claude/.config.json")]) {
    const set = (env: object) => writeFileSync(file, JSON.stringify({ env }));
    for (const value of ["1", " TRUE ", "yes", "on", 1, true]) {
      set({ CLAUDE_CODE_SIMPLE: value });
      expect(faults("user"), `${value}`).toEqual([expect.stringContaining(`CLAUDE_CODE_SIMPLE in "env" of ${file}`)]);
      expect(faults("project"), `${value}`).toHaveLength(1);
    }
    set({ CLAUDE_CONFIG_DIR: "/elsewhere" });
    expect(faults("user")).toHaveLength(1);
    // The hooks of a project do not move with it.
    expect(faults("project")).toEqual([]);
    set({ CLAUDE_CODE_SIMPLE: "0", CLAUDE_CODE_SAFE_MODE: "", CLAUDE_CONFIG_DIR: dirname(path), OTHER: "1" });
    expect(faults("user")).toEqual([]);
  }
});
