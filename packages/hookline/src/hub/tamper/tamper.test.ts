import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout, setImmediate as turn } from "node:timers/promises";
import { type Hub, startHub } from "hookline/hub";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { removeFolder } from "../../../../../test/support/remove-folder.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { agents } from "../../agents/agents.js";
import { applyAttach, planAttach } from "../../agents/attach/plan-attach.js";
import { attachFolder } from "../../agents/client/attach-key.js";
import { applyEdit } from "../../agents/install/apply-edit.js";
import { readInstalled } from "../../agents/install/installed.js";
import { planDetach } from "../../agents/install/plan-detach.js";
import type { AlarmReport } from "../alarms/alarms.js";
import { readProcess } from "../auth/processes.js";
import { createTamper } from "./tamper.js";

/** While a command changes files, the hub looks a second time. */
const LATER = { timeout: 60_000 };

interface Place {
  readonly home: string;
  readonly state: string;
  readonly attach: string;
}

function makePlace(home: string): Place {
  for (const name of ["state", "run"]) mkdirSync(join(home, name), { mode: 0o700 });
  return { home, state: join(home, "state"), attach: attachFolder(join(home, "state")) };
}

function attachAll({ home, attach }: Place): void {
  for (const agent of agents)
    applyAttach(
      planAttach({
        agent,
        target: "user",
        isStrict: true,
        env: { ...process.env, HOME: home },
        cwd: home,
        folder: attach,
        socket: join(home, "run/http.sock"),
      }),
    );
}

function settingsOf({ attach }: Place, agent: string): string {
  return readInstalled(attach).find((one) => one.agent === agent)?.path ?? "";
}

function clientOf({ attach }: Place, agent: string): string {
  return join(attach, readInstalled(attach).find((one) => one.agent === agent)?.client?.name ?? "");
}

function edit(path: string, change: (settings: { hooks: { [event: string]: unknown }; [key: string]: unknown }) => unknown): void {
  const settings = JSON.parse(readFileSync(path, "utf8"));
  change(settings);
  writeFileSync(path, JSON.stringify(settings, undefined, 2));
}

/** Puts members before the others, as text: JSON of an object cannot have a name twice. */
function addText(path: string, members: string): void {
  writeFileSync(path, readFileSync(path, "utf8").replace("{", `{${members},`));
}

describe("a running hub", () => {
  let place: Place;
  let hub: Hub;

  beforeAll(async () => {
    place = makePlace(mkdtempSync(join(tmpdir(), "hl-tamper-")));
    attachAll(place);
    writeFileSync(join(place.home, "hookline.toml"), "");
    const { state, home } = place;
    hub = await startHub({ state, runtime: join(home, "run"), config: join(home, "hookline.toml"), port: 0, onProblem: () => {} });
  });
  afterAll(async () => {
    await hub.close();
    await removeFolder(place.home);
  });

  const claude = () => settingsOf(place, "claude-code");
  type Change = [what: string, path: () => string, change: (path: string) => void, text: RegExp, fix?: RegExp];
  const changes: readonly Change[] = [
    [
      "all entries removed",
      claude,
      (path) => edit(path, (settings) => Object.assign(settings, { hooks: {} })),
      /^Hookline's entries were removed, so Claude Code is not guarded/,
      /hookline attach claude-code --strict/,
    ],
    [
      "one event's entry removed",
      claude,
      (path) => edit(path, ({ hooks }) => void delete hooks.PreToolUse),
      /entries for PreToolUse were removed/,
    ],
    [
      "an entry that runs something else",
      claude,
      (path) => edit(path, ({ hooks }) => Object.assign(hooks, { Stop: [{ hooks: [{ type: "command", command: "true" }] }] })),
      /entries for Stop were removed/,
    ],
    [
      "a matcher around an entry",
      claude,
      (path) => edit(path, ({ hooks }) => (hooks.PreToolUse as object[]).map((group) => Object.assign(group, { matcher: "Nothing" }))),
      /entries for PreToolUse were changed/,
    ],
    ["disableAllHooks", claude, (path) => edit(path, (settings) => Object.assign(settings, { disableAllHooks: true })), /disableAllHooks/],
    [
      "disableAllHooks in the other file",
      () => claude().replace("settings.json", "settings.local.json"),
      (path) => writeFileSync(path, '{"disableAllHooks":true}'),
      /disableAllHooks/,
    ],
    [
      "disableAllHooks of a type with which Claude Code does not load the file",
      claude,
      (path) => edit(path, (settings) => Object.assign(settings, { disableAllHooks: "no" })),
      /disableAllHooks/,
    ],
    [
      "a setting of a type with which Claude Code does not load the file",
      claude,
      (path) => edit(path, (settings) => Object.assign(settings, { model: 5 })),
      /Claude Code runs no hook of this file/,
    ],
    [
      "another hook with which Claude Code does not load the file",
      claude,
      (path) => edit(path, ({ hooks }) => (hooks.PreToolUse as object[]).push({ hooks: [{ type: "command" }] })),
      /Claude Code runs no hook of this file/,
    ],
    [
      "another hook with which Codex does not load the file",
      () => settingsOf(place, "codex"),
      (path) => edit(path, ({ hooks }) => (hooks.Stop as object[]).push({ hooks: [{ type: "http", url: "http://127.0.0.1:1" }] })),
      /Codex runs no hook of this file/,
      /hookline attach codex --strict/,
    ],
    [
      "a version with which Copilot CLI does not load the file",
      () => settingsOf(place, "copilot"),
      (path) => edit(path, (settings) => Object.assign(settings, { version: 2 })),
      /Copilot CLI runs no hook of this file/,
    ],
    ...["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", "CLAUDE_CONFIG_DIR"].map(
      (name): Change => [
        `${name} in the settings' variables`,
        claude,
        (path) => edit(path, (settings) => Object.assign(settings, { env: { [name]: "1" } })),
        /"env" in its settings/,
      ],
    ),
    [
      "a variable in Claude Code's other file",
      () => join(place.home, ".claude.json"),
      (path) => writeFileSync(path, '{"env":{"CLAUDE_CODE_SIMPLE":" true "}}'),
      /"env" in its settings/,
    ],
    [
      "a variable in Claude Code's older file",
      () => join(place.home, ".claude/.config.json"),
      (path) => writeFileSync(path, '{"env":{"CLAUDE_CODE_SIMPLE":1}}'),
      /"env" in its settings/,
    ],
    ["a file that is not JSON", claude, (path) => writeFileSync(path, "{"), /cannot read the file/],
    ["a file that is gone", claude, (path) => rmSync(path), /was removed, so Claude Code is not guarded/],
    ["a file that every user can change", claude, (path) => chmodSync(path, 0o666), /Other users can now change the file/],
    [
      "hooks of Gemini CLI switched off",
      () => settingsOf(place, "gemini"),
      (path) => edit(path, (settings) => Object.assign(settings, { hooksConfig: { disabled: ["hookline"] } })),
      /switch them off/,
      /hookline attach gemini/,
    ],
    [
      "hooks of Gemini CLI switched off by a text",
      () => settingsOf(place, "gemini"),
      (path) => edit(path, (settings) => Object.assign(settings, { hooksConfig: { enabled: "false" } })),
      /switch them off/,
    ],
    [
      "hooks of Codex switched off, although they were never reviewed",
      () => join(place.home, ".codex/config.toml"),
      (path) => writeFileSync(path, 'model = "x"\n[features]\nplugins = false\nhooks = false\n'),
      /"features" in its configuration switches them off/,
      /hookline attach codex --strict/,
    ],
    [
      "hooks of Codex switched off by the profile in use",
      () => join(place.home, ".codex/config.toml"),
      (path) => writeFileSync(path, 'profile = "p"\n[profiles.p.features]\ncodex_hooks = false\n'),
      /"features" in its configuration switches them off/,
    ],
    [
      "hooks of Copilot CLI switched off",
      () => join(place.home, ".copilot/settings.json"),
      (path) => writeFileSync(path, '{"disableAllHooks":true}'),
      /disableAllHooks/,
    ],
    [
      "a hook of Kimi Code that makes it drop all of them",
      () => settingsOf(place, "kimi"),
      (path) => appendFileSync(path, '\n[[hooks]]\nevent = "PreToolUse"\ncommand = "true"\ntimeout = 0\n'),
      /^Kimi Code runs no hook at all/,
      /hookline attach kimi --strict/,
    ],
    [
      "hooks of Qwen Code switched off",
      () => settingsOf(place, "qwen"),
      (path) => edit(path, (settings) => Object.assign(settings, { disableAllHooks: true })),
      /disableAllHooks/,
    ],
    [
      "a matcher at which Qwen Code runs no hook of the event",
      () => settingsOf(place, "qwen"),
      (path) => edit(path, ({ hooks }) => (hooks.PreToolUse as object[]).push({ matcher: 7, hooks: [] })),
      /Qwen Code runs no hook of an event/,
    ],
    [
      "pi's extension left out by its settings",
      () => join(place.home, ".pi/agent/settings.json"),
      (path) => writeFileSync(path, '{"extensions":["!hook*"]}'),
      /"extensions" in its settings leaves it out/,
      /hookline attach pi --strict/,
    ],
    ["pi's extension, gone", () => settingsOf(place, "pi"), (path) => rmSync(path), /pi is not guarded/],
    ["OpenCode's plugin, gone", () => settingsOf(place, "opencode"), (path) => rmSync(path), /OpenCode is not guarded/],
    [
      "OpenCode's providers unlocked",
      () => join(dirname(dirname(settingsOf(place, "opencode"))), "opencode.json"),
      (path) => writeFileSync(path, '{"enabled_providers":["anthropic"]}'),
      /"enabled_providers" is not locked/,
    ],
    ["the entries of Codex", () => settingsOf(place, "codex"), (path) => writeFileSync(path, "{}"), /Codex is not guarded/],
    ["the file of Copilot CLI", () => settingsOf(place, "copilot"), (path) => rmSync(path), /Copilot CLI is not guarded/],
    [
      "the client script",
      () => clientOf(place, "codex"),
      (path) => writeFileSync(path, "exit 0\n"),
      /script that Codex runs to ask the hub was changed/,
      /hookline attach codex --strict/,
    ],
    ["the client script, gone", () => clientOf(place, "gemini"), (path) => rmSync(path), /was removed/],
    ["the key", () => join(place.attach, "key"), (path) => writeFileSync(path, "# x\n"), /key of attached agents was changed/],
    ["the key for everyone", () => join(place.attach, "key"), (path) => chmodSync(path, 0o644), /Other users can now read the file/],
    [
      "the record",
      () => join(place.attach, "installed.json"),
      (path) => writeFileSync(path, '{"version":1,"installed":[]}'),
      /record of attached agents was changed/,
    ],
    ["the operator's token", () => join(place.state, "operator.json"), (path) => writeFileSync(path, "{}"), /operator\.json was changed/],
    [
      "calls that are always allowed",
      () => join(place.state, "always-allow.json"),
      (path) => writeFileSync(path, "[]", { mode: 0o600 }),
      /always-allow\.json appeared/,
    ],
  ];

  it.each(changes)("raises an alarm about %s", async (_, file, change, text, fix = /./) => {
    const path = file();
    const before = { text: read(path), mode: modeOf(path) };
    hub.parts.alarms.acknowledge("test");
    onTestFinished(async () => {
      if (before.text === undefined) rmSync(path, { force: true });
      else writeFileSync(path, before.text);
      if (before.mode !== undefined) chmodSync(path, before.mode);
      await expect.poll(() => hub.parts.tamper.faults()).toEqual([]);
    });
    change(path);
    await expect.poll(() => waiting(hub)).toMatchObject([{ kind: "tampered", path, count: 1 }]);
    const [alarm] = waiting(hub);
    expect(alarm?.text).toMatch(text);
    expect(alarm?.fix).toMatch(fix);
  });

  it("raises no alarm about edits that leave the entries in force", async () => {
    hub.parts.alarms.acknowledge("test");
    const path = claude();
    const before = readFileSync(path, "utf8");
    edit(path, (settings) => Object.assign(settings, { theme: "dark" }));
    await turn();
    edit(path, ({ hooks }) => void (hooks.PreToolUse as unknown[]).unshift({ hooks: [{ type: "command", command: "true" }] }));
    await turn();
    writeFileSync(path, before);
    writeFileSync(join(place.home, ".codex/config.toml"), 'model = "x"\n');
    // A change that is an alarm shows that the watcher has come so far.
    writeFileSync(settingsOf(place, "codex"), "{}");
    await expect.poll(() => waiting(hub)).toMatchObject([{ agent: "codex" }]);
  });

  it("keeps a running session of Claude Code from settings without our entries, and from no others", async () => {
    const [claudeCode] = agents;
    const ask = async (path: string) => {
      const payload = { session_id: "s", cwd: place.home, hook_event_name: "ConfigChange", source: "user_settings", file_path: path };
      const call = { dialect: claudeCode as (typeof agents)[number], native: "ConfigChange", payload };
      return (await hub.parts.agents.answer(call, new AbortController().signal)).reply;
    };
    const path = claude();
    const before = readFileSync(path, "utf8");
    edit(path, (settings) => Object.assign(settings, { theme: "light" }));
    expect(await ask(path)).toMatchObject({ exitCode: 0, stdout: "" });
    edit(path, (settings) => Object.assign(settings, { hooks: {} }));
    const reply = await ask(path);
    expect(reply).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("Hookline's entries were removed") });
    expect(JSON.parse(reply.stdout)).toMatchObject({ decision: "block" });
    writeFileSync(path, before);
    const project = join(place.home, "project/.claude/settings.json");
    mkdirSync(dirname(project), { recursive: true });
    writeFileSync(project, '{"model":"x"}');
    expect(await ask(project)).toMatchObject({ exitCode: 0, stdout: "" });
    writeFileSync(project, '{"disableAllHooks":true}');
    expect(await ask(project)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("disableAllHooks") });
  });

  it("listens again on its sockets after the runtime folder was removed", async () => {
    const { http, line } = hub.file;
    rmSync(join(place.home, "run"), { recursive: true });
    for (const path of [http, line]) await expect.poll(() => canConnect(path)).toBe(true);
    expect(modeOf(join(place.home, "run"))).toBe(0o40700);
    expect(modeOf(http)).toBe(0o140600);
  });

  it("listens again where another process has put a socket, a folder or a file of its own", async () => {
    const { http } = hub.file;
    const own = () => statSync(http).isSocket() && modeOf(http) === 0o140600;
    const foreign = createServer();
    onTestFinished(() => void foreign.close());
    rmSync(http);
    await new Promise<void>((resolve) => foreign.listen(http, resolve));
    const planted = statSync(http).ino;
    await expect.poll(() => own() && statSync(http).ino !== planted).toBe(true);
    expect(await canConnect(http)).toBe(true);
    rmSync(http);
    mkdirSync(http);
    await expect.poll(own).toBe(true);
    expect(await canConnect(http)).toBe(true);
  });

  it("records each of 100 edits, one in each turn of the hub's event loop", async () => {
    const stored = (await hub.parts.store.counts(0))["guard:tampered"] ?? 0;
    hub.parts.alarms.acknowledge("test");
    const path = claude();
    await turn();
    for (let n = 0; n < 100; n++) {
      writeFileSync(path, JSON.stringify({ n }));
      await turn();
    }
    await expect.poll(() => hub.parts.alarms.list().waiting).toBe(100);
    await expect.poll(() => hub.parts.store.counts(0)).toMatchObject({ "guard:tampered": stored + 100 });
    // The same content again is not a change.
    writeFileSync(path, JSON.stringify({ n: 99 }));
    await turn();
    expect(hub.parts.alarms.list().waiting).toBe(100);
  });

  it("raises no alarm about what the hub and a command that told the hub write", async () => {
    attachAll(place);
    await expect.poll(() => hub.parts.tamper.faults()).toEqual([]);
    hub.parts.alarms.acknowledge("test");
    hub.parts.rotateKeys("all");
    hub.parts.tamper.expectChange();
    const path = claude();
    applyEdit(place.attach, planDetach(place.attach, { agent: "claude-code", scope: "user", path }));
    await expect.poll(() => hub.parts.tamper.files()).not.toContain(path);
    attachAll(place);
    await expect.poll(() => hub.parts.tamper.files()).toContain(path);
    await expect.poll(() => hub.parts.tamper.faults()).toEqual([]);
    expect(waiting(hub)).toEqual([]);
  });

  const switches: readonly [agent: string, file: string, text: string][] = [
    ["claude-code", ".claude/settings.json", '{"disableAllHooks":true}'],
    ["claude-code", ".claude/settings.local.json", '{"disableAllHooks":true}'],
    ["codex", ".codex/config.toml", "[features]\nhooks = false\n"],
    ["codex", "../.codex/config.toml", "features.hooks = false\n"],
    ["gemini", ".gemini/settings.json", '{"hooksConfig":{"enabled":false}}'],
    ["copilot", "../.github/copilot/settings.json", '{"disableAllHooks":true}'],
    ["copilot", "../.github/copilot/settings.local.json", '{"disableAllHooks":true}'],
    ["copilot", "../.claude/settings.json", '{"disableAllHooks":true}'],
  ];
  it.each(switches)("raises an alarm about the hooks of %s switched off by %s of a project", async (agent, file, text) => {
    const root = join(place.home, "repository", agent);
    const folder = join(root, "part");
    mkdirSync(join(root, ".git"), { recursive: true });
    mkdirSync(folder, { recursive: true });
    const dialect = agents.find(({ id }) => id === agent) as (typeof agents)[number];
    const [native = ""] = Object.keys(dialect.events).filter((name) => /^(pre|before)tool(use)?$/i.test(name));
    const payload = dialect.samples.call(native, { name: "x", input: {} }, { session: "s", cwd: folder });
    await hub.parts.agents.answer({ dialect, native, payload }, new AbortController().signal);
    hub.parts.alarms.acknowledge("test");
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    await expect.poll(() => waiting(hub), LATER).toMatchObject([{ kind: "tampered", agent, path, fix: expect.stringContaining(path) }]);
    rmSync(path);
    await expect.poll(() => hub.parts.tamper.faults()).toEqual([]);
  });

  it("raises an alarm about a client script that is changed right after a command told the hub that it changes files", async () => {
    attachAll(place);
    await expect.poll(() => hub.parts.tamper.faults()).toEqual([]);
    hub.parts.alarms.acknowledge("test");
    hub.parts.tamper.expectChange();
    writeFileSync(clientOf(place, "codex"), "exit 0\n");
    await expect.poll(() => waiting(hub), LATER).toMatchObject([{ path: clientOf(place, "codex") }]);
    attachAll(place);
    await expect.poll(() => hub.parts.tamper.faults()).toEqual([]);
  });

  function waiting({ parts }: Hub) {
    return parts.alarms.list().alarms.filter(({ acknowledged }) => acknowledged === undefined);
  }
});

it("tells at its start what was changed while no hub ran", () => {
  const place = makePlace(testFolder());
  attachAll(place);
  writeFileSync(settingsOf(place, "gemini"), "{}");
  writeFileSync(clientOf(place, "copilot"), "exit 0");
  const { raised } = watchPlace(place, "plain");
  expect(raised.map(({ agent }) => agent).sort()).toEqual(["copilot", "gemini"]);
});

describe("under hookline protect", () => {
  it("restores exactly our entries, three times in a minute", async () => {
    const place = makePlace(testFolder());
    attachAll(place);
    const path = settingsOf(place, "claude-code");
    edit(path, (settings) => Object.assign(settings, { theme: "dark" }));
    const before = readFileSync(path, "utf8");
    const { raised, clock } = watchPlace(place, "protect");
    for (let n = 1; n <= 3; n++) {
      edit(path, (settings) => {
        settings.hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
        settings.n = n;
      });
      await expect.poll(() => raised.length).toBe(n);
      expect(raised.at(-1)?.text).toMatch(/were removed.* The hub has restored it\.$/);
      const settings = JSON.parse(readFileSync(path, "utf8"));
      expect(settings).toMatchObject({ theme: "dark", n });
      expect(settings.hooks.PreToolUse).toEqual(JSON.parse(before).hooks.PreToolUse);
      expect(settings.hooks.Stop).toHaveLength(2);
    }
    writeFileSync(path, "{}");
    await expect.poll(() => raised.length).toBe(4);
    expect(raised[3]).toMatchObject({
      text: expect.not.stringContaining("restored"),
      fix: { run: "hookline attach claude-code --strict" },
    });
    expect(readFileSync(path, "utf8")).toBe("{}");
    clock.now += 60_000;
    writeFileSync(path, "{ }");
    await expect.poll(() => raised.at(-1)?.text).toContain("restored");
  });

  it("restores a file after the minute without a further change", async () => {
    const place = makePlace(testFolder());
    attachAll(place);
    const path = settingsOf(place, "claude-code");
    const before = JSON.parse(readFileSync(path, "utf8")).hooks;
    const { raised, clock } = watchPlace(place, "protect");
    for (let n = 1; n <= 4; n++) {
      writeFileSync(path, JSON.stringify({ n }));
      await expect.poll(() => raised.length).toBe(n);
    }
    expect(readFileSync(path, "utf8")).toBe('{"n":4}');
    clock.now += 60_000;
    await expect.poll(() => raised.length).toBe(5);
    expect(raised[4]?.text).toContain("The hub has restored it.");
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ n: 4, hooks: before });
  });

  const changes: readonly [what: string, path: (place: Place) => string, change: (path: string) => void][] = [
    ["a client script", (place) => clientOf(place, "codex"), (path) => writeFileSync(path, "exit 0\n")],
    ["a client script that is gone", (place) => clientOf(place, "codex"), (path) => rmSync(path)],
    ["a mode", (place) => clientOf(place, "codex"), (path) => chmodSync(path, 0o777)],
    ["a file that is gone", (place) => settingsOf(place, "copilot"), (path) => rmSync(path)],
    ["a file that is not JSON", (place) => settingsOf(place, "gemini"), (path) => writeFileSync(path, "{")],
    [
      "hooks that were switched off",
      (place) => settingsOf(place, "claude-code"),
      (path) => edit(path, (settings) => Object.assign(settings, { disableAllHooks: true })),
    ],
    [
      "hooks that were switched off twice",
      (place) => settingsOf(place, "claude-code"),
      (path) => addText(path, '"disableAllHooks":true,"disableAllHooks":true'),
    ],
    [
      "variables that switch hooks off",
      (place) => settingsOf(place, "claude-code"),
      (path) => addText(path, '"env":5,"env":{"CLAUDE_CODE_SIMPLE":"1","CLAUDE_CONFIG_DIR":"/x"}'),
    ],
    [
      "a hook that Kimi Code does not accept",
      (place) => settingsOf(place, "kimi"),
      (path) => appendFileSync(path, '\n[[hooks]]\nevent = "Never"\ncommand = "true"\n'),
    ],
    [
      "a setting that Claude Code does not accept",
      (place) => settingsOf(place, "claude-code"),
      (path) => edit(path, (settings) => Object.assign(settings, { permissions: { allow: "Bash" } })),
    ],
    [
      "a field that Codex does not accept",
      (place) => settingsOf(place, "codex"),
      (path) => edit(path, (settings) => Object.assign(settings, { more: 1 })),
    ],
    ["the record", ({ attach }) => join(attach, "installed.json"), (path) => writeFileSync(path, "{}")],
    ["a file of ours without our entries", (place) => settingsOf(place, "copilot"), (path) => writeFileSync(path, '{"version":1}')],
  ];
  it.each(changes)("restores %s", async (_, file, change) => {
    const place = makePlace(testFolder());
    attachAll(place);
    const path = file(place);
    const before = [JSON.stringify(parsed(path)), modeOf(path)];
    const { raised } = watchPlace(place, "protect");
    change(path);
    await expect.poll(() => raised.length).toBe(1);
    expect(raised[0]?.text).toContain("The hub has restored it.");
    expect([JSON.stringify(parsed(path)), modeOf(path)]).toEqual(before);
  });
});

it("turns hooks on again that a project or a configuration switched off, and leaves the rest of the file", async () => {
  const place = makePlace(testFolder());
  attachAll(place);
  const config = join(place.home, ".codex/config.toml");
  const toml = '# mine\nmodel = "x"\n[features]\nplugins = false # too\n';
  writeFileSync(config, toml);
  const folder = join(place.home, "project");
  const project = join(folder, ".claude/settings.json");
  mkdirSync(dirname(project), { recursive: true });
  writeFileSync(project, '{\n  "model": "m",\n  "disableAllHooks": true\n}\n');
  const { raised, tamper } = watchPlace(place, "protect");
  tamper.seeFolder("claude-code", folder);
  expect(raised).toMatchObject([{ agent: "claude-code", path: project, text: expect.stringContaining("restored") }]);
  expect(JSON.parse(readFileSync(project, "utf8"))).toEqual({ model: "m" });
  writeFileSync(config, `${toml}hooks = false\n`);
  await expect.poll(() => raised.length).toBe(2);
  expect(raised[1]).toMatchObject({ agent: "codex", path: config, text: expect.stringContaining("restored") });
  expect(readFileSync(config, "utf8")).toBe(`${toml}hooks = true\n`);
});

it("restores what switches hooks off, keeps links and other edits, and keeps a backup", async () => {
  const place = makePlace(testFolder());
  attachAll(place);
  const gemini = settingsOf(place, "gemini");
  const real = join(place.home, "dotfiles.json");
  renameSync(gemini, real);
  symlinkSync(real, gemini);
  const { raised } = watchPlace(place, "protect");
  edit(gemini, (settings) => Object.assign(settings, { hooksConfig: { enabled: true, disabled: ["mine", "hookline"] } }));
  await expect.poll(() => raised.length).toBe(1);
  expect(raised[0]?.text).toContain("The hub has restored it.");
  expect(readlinkSync(gemini)).toBe(real);
  expect(JSON.parse(readFileSync(real, "utf8"))).toMatchObject({ hooksConfig: { enabled: true, disabled: ["mine"] } });
  const backups = readdirSync(join(place.attach, "backups")).map((name) => readFileSync(join(place.attach, "backups", name), "utf8"));
  expect(backups.some((text) => text.includes("mine"))).toBe(true);
  writeFileSync(gemini, "{");
  await expect.poll(() => raised.length).toBe(2);
  expect([raised[1]?.text, readlinkSync(gemini)]).toEqual([expect.stringContaining("restored"), real]);
});

it.each(["plain", "protect"] as const)("counts settings that cannot be read as a fault, and leaves them alone (%s)", (mode) => {
  const place = makePlace(testFolder());
  attachAll(place);
  const folder = join(place.home, "project");
  const [pipe, device] = [join(folder, ".claude/settings.json"), join(folder, ".claude/settings.local.json")];
  mkdirSync(dirname(pipe), { recursive: true });
  execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", pipe]);
  symlinkSync("/dev/zero", device);
  const { raised, tamper } = watchPlace(place, mode);
  tamper.seeFolder("claude-code", folder);
  const text = "The hub cannot read this file, and with it Claude Code may run no hook. This is not a regular file.";
  expect(raised).toMatchObject([pipe, device].map((path) => ({ agent: "claude-code", path, text })));
  expect(tamper.faultIn("claude-code", pipe)).toBe(text);
  expect([lstatSync(pipe).isFIFO(), readlinkSync(device)]).toEqual([true, "/dev/zero"]);
});

it("accepts a new record only while the command runs that told the hub of it", async () => {
  const place = makePlace(testFolder());
  attachAll(place);
  const { raised, tamper, clock } = watchPlace(place, "plain");
  const record = join(place.attach, "installed.json");
  const command = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  tamper.expectChange(readProcess(command.pid as number));
  writeFileSync(record, `${readFileSync(record, "utf8")}\n`);
  await expect.poll(() => readFileSync(record, "utf8").endsWith("\n\n") && tamper.faults()).toEqual([]);
  expect(raised).toEqual([]);
  command.kill("SIGKILL");
  await once(command, "exit");
  await setTimeout(1_000);
  clock.now += 5_000;
  writeFileSync(record, '{"version":1,"installed":[]}');
  await expect.poll(() => raised).toMatchObject([{ path: record }]);
});

function watchPlace({ state, attach, home }: Place, mode: "plain" | "protect") {
  const raised: AlarmReport[] = [];
  const clock = { now: 0 };
  const tamper = createTamper({
    state,
    attach,
    raise: (alarm) => void raised.push(alarm),
    mode: () => mode,
    onProblem: (text) => expect.fail(text),
    env: { ...process.env, HOME: home },
    now: () => clock.now,
  });
  onTestFinished(() => tamper.close());
  tamper.start();
  return { raised, clock, tamper };
}

function parsed(path: string): unknown {
  return /\.json$/.test(basename(path)) ? JSON.parse(readFileSync(path, "utf8")) : readFileSync(path, "utf8");
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function canConnect(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}

function modeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mode;
}
