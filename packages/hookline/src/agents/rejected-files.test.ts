import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stringify } from "smol-toml";
import { expect, test } from "vitest";
import { testFolder } from "../../../../test/support/test-folder.js";
import { agents, findAgent } from "./agents.js";
import type { AgentDefinition } from "./shared/definition.js";
import { isObject } from "./shared/native-payload.js";

// Each file was tried with the real program, in the version of its contract: whether it still ran a hook of the same file.

type Json = { readonly [key: string]: unknown };

const command = { type: "command", command: "true" };
const event = (name: string, ...groups: readonly unknown[]): Json => ({ hooks: { [name]: groups } });
const [preToolUse, stop] = ["PreToolUse", "Stop"].map(
  (name) =>
    (...groups: readonly unknown[]) =>
      event(name, ...groups),
) as [(...groups: readonly unknown[]) => Json, (...groups: readonly unknown[]) => Json];
const handler = (fields: Json) => ({ hooks: [{ ...command, ...fields }] });

const tried: { readonly [agent: string]: { readonly bad: readonly Json[]; readonly good: readonly Json[] } } = {
  "claude-code": {
    bad: [
      { verbose: "x" },
      { cleanupPeriodDays: "x" },
      { fallbackModel: "x" },
      { fallbackModel: [7] },
      { enabledPlugins: 7 },
      { fileSuggestion: 7 },
      { model: null },
      { $schema: 7 },
      { sandbox: 7 },
      { env: "x" },
      { env: [] },
      { permissions: [] },
      { permissions: { allow: "x" } },
      { permissions: { defaultMode: 7 } },
      { permissions: { additionalDirectories: "x" } },
      { permissions: { disableBypassPermissionsMode: 7 } },
      { hooks: [] },
      { hooks: { PreToolUse: 7 } },
      preToolUse({ matcher: 7, hooks: [] }),
      preToolUse({ matcher: null, hooks: [command] }),
      preToolUse(7),
      preToolUse({ hooks: 7 }),
      preToolUse({}),
      preToolUse({ hooks: [7] }),
      preToolUse({ hooks: [{ type: "bogus" }] }),
      preToolUse({ hooks: [{ type: "http", url: "x" }] }),
      preToolUse(handler({ timeout: "x" })),
      preToolUse(handler({ timeout: 0 })),
      event("PermissionRequest", { hooks: [{ type: "command" }] }),
    ],
    good: [
      {},
      { env: { A: 7, B: null, C: {} } },
      { permissions: { allow: [7, "Bad("], more: 7 } },
      { more: 7, viewMode: 7, extraKnownMarketplaces: 7 },
      { hooks: { Stop: 7, Bogus: 7 } },
      stop(7, { matcher: 7, hooks: [] }, { hooks: [{ type: "command" }] }),
      preToolUse({ ...handler({ more: 1 }), more: 1 }),
      preToolUse({ matcher: "(", hooks: [command] }),
    ],
  },
  codex: {
    bad: [
      { more: 7 },
      { $schema: "x" },
      { hooks: { Stop: 7 } },
      { hooks: { Stop: null } },
      stop(7),
      stop(null),
      stop({ hooks: 7 }),
      stop({ hooks: null }),
      stop({ hooks: [7] }),
      stop({ hooks: [{ type: "command" }] }),
      stop({ hooks: [{ command: "x" }] }),
      stop({ hooks: [{ type: "bogus" }] }),
      stop({ hooks: [{ type: "http", url: "http://127.0.0.1:1" }] }),
      stop({ hooks: [{ type: "mcp_tool" }] }),
      stop({ matcher: 7, hooks: [] }),
      ...[
        { command: 7 },
        { timeout: "x" },
        { timeout: 1.5 },
        { timeout: -1 },
        { async: "x" },
        { statusMessage: 7 },
        { commandWindows: 7 },
      ].map((fields) => stop(handler(fields))),
    ],
    good: [
      {},
      { hooks: { Bogus: 7 } },
      event("Bogus", { matcher: 7 }),
      stop({}),
      stop({ matcher: null, hooks: [] }),
      stop({ matcher: "(", hooks: [] }),
      stop({ hooks: [{ type: "prompt", prompt: "x" }, { type: "agent" }, { type: "mcp_tool", server: "a", tool: "b" }] }),
      stop({ ...handler({ more: 1, env: "x", name: 7 }), more: 1 }),
    ],
  },
  copilot: {
    bad: [
      { version: 2 },
      { version: "1" },
      { version: null },
      { disableAllHooks: "x" },
      { disableAllHooks: null },
      { disableAllHooks: true },
      { hooks: { agentStop: 7 } },
    ],
    good: [{}, { version: 1 }, { more: 7 }, { hooks: { preToolUse: [{ type: "command", bash: 7 }] } }, { hooks: { bogus: [7] } }],
  },
  gemini: {
    bad: [
      ...[false, "false", 0].map((enabled) => ({ hooksConfig: { enabled } })),
      ...[["hookline"], "hookline"].map((disabled) => ({ hooksConfig: { disabled } })),
    ],
    good: [{}, { hooksConfig: "off" }, { hooksConfig: { enabled: true, disabled: ["x"] } }, { hooks: { disabled: ["hookline"] } }],
  },
  qwen: {
    bad: [{ disableAllHooks: "true" }, { disableAllHooks: 1 }, preToolUse({ matcher: 7, hooks: [command] })],
    good: [
      {},
      { hooks: { Stop: 7 } },
      preToolUse(7, null, {}, { hooks: 7 }, { hooks: [7] }, { matcher: null, hooks: [command] }, { matcher: "(", hooks: [command] }),
    ],
  },
};

test.each(Object.entries(tried))("which files %s ignores with the hooks in them", (id, { bad, good }) => {
  const { install } = findAgent(id) as AgentDefinition;
  const home = testFolder();
  const env = { HOME: home };
  const path = install.settingsPath("user", env, home);
  mkdirSync(dirname(path), { recursive: true });
  const isOff = (content: Json): [boolean, boolean] => {
    const text = JSON.stringify(content);
    writeFileSync(path, text);
    const faults = install.faults?.({ path, target: "user", env, cwd: home, settings: content }) ?? [];
    const switches = install.offSwitches?.({ path, target: "user", env }) ?? [];
    const own = switches.filter((off) => off.path === path);
    // What the hub restores is on again.
    for (const off of own) if (off.isOff(text)) expect(off.isOff(off.turnedOn(text, "{}"))).toBe(false);
    return [faults.some((fault) => fault.includes(path)), own.some((off) => off.isOff(text))];
  };
  for (const content of bad) expect(isOff(content), JSON.stringify(content)).toEqual([true, true]);
  for (const content of good) expect(isOff(content), JSON.stringify(content)).toEqual([false, false]);
});

test("Copilot CLI takes the switch of a project from the root of its repository, and from the settings of Claude Code", () => {
  const { install } = findAgent("copilot") as AgentDefinition;
  const root = testFolder();
  const cwd = join(root, "part");
  const path = install.settingsPath("user", { HOME: join(root, "home") }, cwd);
  const faults = () => install.faults?.({ path, target: "user", env: { HOME: join(root, "home") }, cwd, settings: {} });
  const write = (file: string, text: string) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  mkdirSync(join(root, ".git"));
  write(join(cwd, ".claude/settings.json"), '{"disableAllHooks":true}');
  expect(faults()).toEqual([]);
  for (const name of [".github/copilot", ".claude"].flatMap((folder) => [`${folder}/settings.json`, `${folder}/settings.local.json`])) {
    write(join(root, name), '{"disableAllHooks":true}');
    expect(faults()).toEqual([expect.stringContaining(join(root, name))]);
    // A text does nothing there.
    write(join(root, name), '{"disableAllHooks":"true"}');
    expect(faults()).toEqual([]);
  }
});

const wrong = [null, 7, true, "text", [], [null], [7], {}, { Stop: 7, state: 7 }];
const whole: Json = {
  version: 1,
  disableAllHooks: false,
  env: { A: "1" },
  permissions: { allow: ["x"] },
  hooksConfig: { enabled: true, disabled: ["x"] },
  extensions: ["x"],
  enabled_providers: ["x"],
  hooks: { PreToolUse: [{ matcher: "x", hooks: [command] }], state: { x: { enabled: true } } },
  features: { hooks: true },
  profile: "p",
  profiles: { p: { features: { hooks: true } } },
};

/** The settings with each value replaced by each wrong one, on its levels. */
function spoiled(value: unknown, levels = 4): readonly unknown[] {
  const inner =
    levels > 0 && typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([name, one]) => spoiled(one, levels - 1).map((other) => ({ ...value, [name]: other })))
      : [];
  return [...wrong, ...inner];
}

test.each(agents)("no value of a wrong type in the files of $id makes a check of its hooks fail itself", ({ install }) => {
  const home = testFolder();
  const env = { HOME: home };
  const path = install.settingsPath("user", env, home);
  const switches = [...(install.offSwitches?.({ path, target: "user", env }) ?? []), ...(install.projectSwitches?.(home) ?? [])];
  const isToml = (file: string): boolean => file.endsWith(".toml");
  for (const file of new Set([path, ...switches.map((off) => off.path)])) {
    mkdirSync(dirname(file), { recursive: true });
    for (const value of spoiled(whole)) {
      const settings = isObject(value) ? value : { hooks: value };
      writeFileSync(file, isToml(file) ? stringify(withoutNull(settings)) : JSON.stringify(value));
      install.faults?.({ path, target: "user", env, cwd: home, settings: value });
      for (const off of switches) if (off.path === file) off.isOff(readFileSync(file, "utf8"));
    }
  }
});

/** TOML has no null. */
function withoutNull(value: unknown): Json {
  return JSON.parse(JSON.stringify(value, (_, one) => (one === null ? 0 : one))) as Json;
}
