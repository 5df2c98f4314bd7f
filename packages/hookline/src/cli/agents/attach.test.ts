import { appendFileSync, chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createHomeInProcess } from "../../../../../test/support/cli-home.js";
import { type FakeRun, putFakeAgent } from "../../../../../test/support/fake-agent.js";
import { findAgent } from "../../agents/agents.js";

// The built command line in this process, a real hub, and a program under an agent's name.
vi.setConfig({ testTimeout: 180_000 });
const home = createHomeInProcess();
const PATH = putFakeAgent(home, "claude", "codex", "gemini", "copilot");
process.env.PATH = PATH;
const hookline = home.run;
const file = (name: string) => join(home.folder, name);
const textOf = (name: string) => readFileSync(file(name), "utf8");
const settings = '{\n\t"model": "x",\n\t"hooks": {\n\t\t"Stop": [ { "hooks": [ { "type": "command", "command": "true" } ] } ]\n\t}\n}';
const findings = async () => {
  const { out } = await hookline("doctor", "--json");
  const { checks } = JSON.parse(out) as { checks: { id: string; state: string; detail: string; fix: string }[] };
  return (id: string) => checks.find((check) => check.id === id);
};

beforeAll(async () => {
  home.write(
    "config/hookline/hookline.toml",
    '[[rule]]\nname = "no-rm"\nevent = "tool:before"\nmatch = "tool.input.command contains \'rm -rf\'"\ndo = "block"\nmessage = "not here"\n',
  );
  expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
});
afterAll(() => home.close());

describe("attach and detach", () => {
  it("shows what it would write, writes it once, and takes it back to the byte", async () => {
    home.write(".claude/settings.json", settings);
    const { out } = await hookline("attach", "claude-code", "--dry-run");
    expect(out).toMatch(/^--- .*\n\+\+\+ .*\n@@/);
    expect(textOf(".claude/settings.json")).toBe(settings);

    const first = await hookline("attach", "claude-code");
    expect(first).toMatchObject({ code: 0, out: `${file(".claude/settings.json")}\n`, err: expect.stringContaining("is attached.") });
    const written = textOf(".claude/settings.json");
    expect(written).toContain('\t\t"Stop": [ { "hooks": [ { "type": "command", "command": "true" } ] }');
    expect((await hookline("attach", "claude-code")).err).toContain("already attached; nothing changed");
    expect(textOf(".claude/settings.json")).toBe(written);
    expect((await hookline("attach", "claude-code", "--dry-run")).out).toBe("Nothing would change.\n");

    expect(await hookline("detach", "claude-code")).toMatchObject({ code: 0, err: expect.stringContaining("is detached") });
    expect(textOf(".claude/settings.json")).toBe(settings);
    expect((await hookline("detach", "claude-code")).err).toContain("was not attached there");
  });

  it("says what it knows about the installed version, and tries one that it does not know", async () => {
    const attach = (version: string, ...more: string[]) =>
      home.runWith({ env: { PATH, FAKE_VERSION: version } }, "attach", "claude-code", ...more);
    const tried = findAgent("claude-code")?.contracts[0].to ?? "";
    const known = await attach(`${tried} (Claude Code)`);
    expect(known.err).not.toMatch(/tried|treated/);
    expect(known.out).toBe(`${file(".claude/settings.json")}\n`);

    const newer = await attach("99.1.0");
    expect(newer).toMatchObject({ code: 0, err: expect.stringContaining(`Claude Code 99.1.0 is newer than ${tried}`) });
    expect(newer.out).toMatch(/^ok .*the canary was denied/m);
    const look = async (version: string) => {
      const { out } = await home.runWith({ env: { PATH, FAKE_VERSION: version } }, "doctor", "--json");
      const { checks } = JSON.parse(out) as { checks: { id: string; state: string; detail: string }[] };
      return checks.find(({ id }) => id === "agent-contracts");
    };
    expect(await look("99.1.0")).toMatchObject({ state: "warn", detail: expect.stringContaining("99.1.0 is newer") });
    expect(await look(tried)).toMatchObject({ state: "ok" });

    // A program that loads no extension.
    const silent = join(PATH.split(delimiter)[0] ?? "", "pi");
    writeFileSync(silent, "#!/bin/sh\necho 99.1.0\n", { mode: 0o755 });
    const unguarded = await home.runWith({ env: { PATH } }, "attach", "pi", "--strict");
    expect(unguarded).toMatchObject({
      code: 1,
      out: expect.stringContaining("the canary was not sent: pi --list-models did not load the plugin"),
    });
    expect(unguarded.err).not.toContain("pi is attached");

    // A program that cannot run, offline or without a login: nothing is known about the plugin.
    writeFileSync(silent, '#!/bin/sh\n[ "$1" = --version ] && echo 99.1.0 && exit\necho "Error: fetch failed" >&2\nexit 3\n', {
      mode: 0o755,
    });
    const unknown = await home.runWith({ env: { PATH } }, "attach", "pi", "--check");
    expect(unknown.code).toBe(1);
    expect(unknown.out).toContain(
      "the check could not be made: pi --list-models ended with exit code 3 before it loaded the plugin (Error: fetch failed)",
    );
    expect(unknown.out).not.toContain("let through");
    expect(unknown.err).not.toContain("To start the hub");
    expect(unknown.err).toContain("Make `pi --list-models` run, then check again: hookline attach pi --check");
    await home.runWith({ env: { PATH } }, "detach", "pi");
    rmSync(silent);

    const older = await attach("1.0.0", "--strict");
    expect(older.err).toContain(`Claude Code 1.0.0 is older than ${tried}`);
    expect(older.err).toContain("ignores all hooks of the file");
    const { out } = await home.runWith({ env: { PATH, FAKE_VERSION: "1.0.0" } }, "agents", "claude-code", "--json");
    expect(JSON.parse(out)).toMatchObject([{ installed: { version: "1.0.0" }, tried, guarding: "strict", known: "here" }]);
    await hookline("detach", "claude-code");
  });

  it.each([[[]], [["--strict"]]])("guards an agent that runs its hooks %j", async (options) => {
    await hookline("attach", "claude-code", ...options);
    const { spawnSync } = await import("node:child_process");
    const { stdout } = spawnSync("claude", ["--do", "rm -rf /"], { env: { ...home.env, PATH }, cwd: home.folder, encoding: "utf8" });
    expect((JSON.parse(stdout) as FakeRun).denied).toBe("not here");
    expect(await hookline("attach", "claude-code", "--check")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^ok {3}\S+: the canary was denied$/m),
    });
    await hookline("detach", "claude-code");
  });

  it("keeps --strict when it attaches again, until --no-strict, and doctor names both kinds", async () => {
    const clients = () => textOf(".claude/settings.json").match(/attach\/claude-code(?:-strict)?\./g) ?? [];
    const isStrict = () => clients().length > 0 && clients().every((name) => name.includes("strict"));
    const strict = await hookline("attach", "claude-code", "--strict");
    expect(strict).toMatchObject({ code: 0, err: expect.stringContaining("Strict: when the hub does not answer") });
    expect(strict.err).not.toContain("calls continue");
    expect(await hookline("attach", "copilot")).toMatchObject({ code: 0, err: expect.stringContaining("calls continue") });
    expect((await findings())("agent-strict")).toMatchObject({ state: "ok", detail: "claude-code; without --strict: copilot" });
    const again = await hookline("attach", "claude-code");
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining("Still strict") });
    expect(again.err).toContain("hookline attach claude-code --no-strict");
    expect(again.err).not.toContain("calls continue");
    expect(isStrict()).toBe(true);
    expect(await hookline("attach", "claude-code", "--http")).toMatchObject({
      code: 2,
      err: expect.stringContaining("hookline attach claude-code --http --no-strict"),
    });
    rmSync(file(".claude/settings.json"));
    await hookline("attach", "claude-code");
    expect(isStrict()).toBe(true);
    expect(await hookline("attach", "claude-code", "--no-strict")).toMatchObject({
      code: 0,
      err: expect.stringContaining("calls continue"),
    });
    expect(isStrict()).toBe(false);
    expect((await findings())("agent-strict")).toMatchObject({
      state: "ok",
      detail: "no agent is strict; without --strict: copilot, claude-code",
    });
    await hookline("detach", "claude-code");
    await hookline("detach", "copilot");
    home.write(".claude/settings.json", settings);
  });

  it("fails the check when the agent would not run the hooks, or would not wait for them", async () => {
    const check = (agent: string, env: NodeJS.ProcessEnv = {}) => home.runWith({ env: { PATH, ...env } }, "attach", agent, "--check");
    const fails = (out: RegExp) => ({ code: 1, out: expect.stringMatching(out) });
    await hookline("attach", "claude-code", "--strict");
    const whole = textOf(".claude/settings.json");
    expect(await check("claude-code")).toMatchObject({ code: 0 });
    home.write(".claude/settings.json", whole.replace('"model"', '"disableAllHooks": true, "model"'));
    expect(await check("claude-code")).toMatchObject(fails(/disableAllHooks/));
    home.write(".claude/settings.json", whole.replace('"model"', '"verbose": "no", "model"'));
    expect(await check("claude-code")).toMatchObject(fails(/does not accept "verbose"/));
    expect((await hookline("attach", "claude-code", "--strict")).err).toMatch(
      /Claude Code is not guarded yet: .* but it does not run them/,
    );
    home.write(".claude/settings.json", `${whole},`);
    expect(await check("claude-code")).toMatchObject(fails(/cannot read its file/));
    home.write(".claude/settings.json", whole.replace('"UserPromptSubmit"', '"Other"'));
    expect(await check("claude-code")).toMatchObject(fails(/missing for UserPromptSubmit/));
    home.write(".claude/settings.json", whole.replaceAll(/"timeout": 600/g, '"timeout": 5'));
    expect(await check("claude-code")).toMatchObject(fails(/timeout of PreToolUse is 5000 ms/));
    home.write(".claude/settings.json", whole.replaceAll("/usr/bin/env", "true #"));
    expect(await check("claude-code")).toMatchObject({ code: 1, out: expect.stringContaining("let through") });
    home.write(".claude/settings.json", whole);
    await hookline("detach", "claude-code");
    expect((await hookline("attach", "codex")).err).toMatch(/Codex is not guarded yet: .* but it does not run them/);
    expect(await check("codex")).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^FAIL \S+: .*not reviewed.*canary was denied/),
      err: expect.not.stringContaining("hookline up"),
    });
    await hookline("detach", "codex");
    const noisy = home.write("noisy", "echo hello\n");
    const silent = home.write("silent", "exit 0\n");
    const endless = home.write("endless", "while :; do echo hellohellohellohello; done\n");
    await hookline("attach", "copilot", "--strict");
    for (const env of [{}, { BASH_ENV: noisy }, { BASH_ENV: silent }]) expect(await check("copilot", env)).toMatchObject({ code: 0 });
    const entries = textOf(".copilot/hooks/hookline.json");
    home.write(".copilot/hooks/hookline.json", entries.replaceAll(/"BASH_ENV": "",\s*/g, ""));
    expect(await check("copilot", { BASH_ENV: noisy })).toMatchObject(fails(/prints other text first.*hello/));
    expect(await check("copilot", { BASH_ENV: silent })).toMatchObject({ code: 1, out: expect.stringContaining("let through") });
    expect(await check("copilot", { BASH_ENV: endless })).toMatchObject({
      code: 1,
      out: expect.stringContaining("printed more than 256 KiB"),
    });
    home.write(".copilot/hooks/hookline.json", entries);
    await hookline("detach", "copilot");
  });

  it("leaves nothing of a project behind", async () => {
    await hookline("attach", "claude-code", "--project");
    expect(textOf(".claude/settings.local.json")).toContain("/attach/claude-code.");
    await hookline("detach", "claude-code", "--project");
    expect(existsSync(file(".claude/settings.local.json"))).toBe(false);
  });

  it("leaves a file that its agent could not read as it is", async () => {
    writeFileSync(file(".claude/settings.json"), '{ "hooks": {');
    expect(await hookline("attach", "claude-code")).toMatchObject({ code: 1, out: "", err: expect.stringContaining("was left as it is") });
    expect(textOf(".claude/settings.json")).toBe('{ "hooks": {');
    writeFileSync(file(".claude/settings.json"), settings);
    expect(await hookline("attach", "claud")).toMatchObject({ code: 2, err: expect.stringContaining("claude-code") });
  });

  it("says what stands in the way of each agent's hooks", async () => {
    expect((await hookline("attach", "codex")).err).toContain("type /hooks and trust them");
    home.write(".gemini/settings.json", '{ "hooksConfig": { "enabled": false } }');
    expect((await hookline("attach", "gemini")).err).toContain("switches hooks off");
    expect((await hookline("attach", "copilot", "--project")).err).toContain("GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true");
    const twice = await hookline("attach", "copilot");
    expect(twice).toMatchObject({ code: 1, err: expect.stringContaining("hookline detach copilot --project") });
    const { err } = await hookline("agents");
    expect(err).toContain("codex: Codex silently skips hooks that you have not reviewed");
    expect((await findings())("agent-active")).toMatchObject({
      state: "warn",
      detail: expect.stringContaining("switches hooks off"),
    });
    for (const [agent, ...scope] of [["codex"], ["gemini"], ["copilot", "--project"]] as const) await hookline("detach", agent, ...scope);
  });
});

describe("doctor", () => {
  it("has nothing to say of an agent that is well", async () => {
    await hookline("attach", "claude-code", "--strict");
    const find = await findings();
    for (const id of [
      "agent-entries",
      "agent-clients",
      "agent-key",
      "agent-http",
      "agent-port",
      "agent-programs",
      "agent-active",
      "agent-misses",
      "agent-canary",
    ])
      expect(find(id)).toMatchObject({ state: "ok" });
  });

  it("notices entries and scripts that are gone, and programs that moved", async () => {
    const [client = ""] = readdirSync(file("state/hookline/attach")).filter((name) => name.startsWith("claude-code-strict."));
    appendFileSync(file(`state/hookline/attach/${client}`), "\nexit 0\n");
    writeFileSync(file(".claude/settings.json"), settings);
    chmodSync(file("state/hookline/attach/key"), 0o644);
    rmSync(file("fake/bin/claude"));
    const find = await findings();
    const fix = "hookline attach claude-code --strict";
    expect(find("agent-entries")).toMatchObject({ state: "fail", fix, detail: expect.stringContaining("Hookline's entries were changed") });
    expect(find("agent-clients")).toMatchObject({
      state: "fail",
      fix,
      detail: expect.stringContaining("it differs from what this version writes"),
    });
    expect(find("agent-key")).toMatchObject({ state: "fail", detail: expect.stringContaining("other users") });
    expect(find("agent-programs")).toMatchObject({ state: "warn", detail: expect.stringContaining(file("fake/bin/claude")) });
    chmodSync(file("state/hookline/attach/key"), 0o600);
    putFakeAgent(home, "claude");
    await hookline("attach", "claude-code", "--strict");
    expect((await findings())("agent-entries")).toMatchObject({ state: "ok" });
  });

  it("counts what was missed, of every agent", async () => {
    for (const agent of ["claude-code", "codex"]) await hookline("attach", agent);
    await hookline("down");
    for (const agent of ["claude-code", "codex"]) expect((await hookline("attach", agent, "--check")).code).toBe(1);
    // On another port, with next to certainty: the script does not mind.
    expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
    const find = await findings();
    expect(find("agent-port")).toMatchObject({ state: "ok" });
    const { detail } = find("agent-misses") ?? { detail: "" };
    for (const agent of ["claude-code", "codex"])
      expect(detail).toMatch(new RegExp(`^${agent}: 1 call, no hub listened \\(connect\\)`, "m"));
    expect(existsSync(file("state/hookline/attach/misses.log"))).toBe(false);
    expect((await hookline("agents")).err).toContain("claude-code: the hub was not asked about 1 call");
    expect((await hookline("attach", "claude-code", "--check")).code).toBe(0);
    await hookline("attach", "claude-code", "--strict");
    await hookline("down");
    const unreached = /^FAIL \S+: the canary was denied without the hub, which was not reached$/m;
    expect(await hookline("attach", "claude-code", "--check")).toMatchObject({ code: 1, out: expect.stringMatching(unreached) });
    expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
    for (const agent of ["claude-code", "codex"]) await hookline("detach", agent);
  });
});

describe("rules and what agents can do", () => {
  it("shows the events under which rules and hooks act, of one agent if it is named", async () => {
    const { out, err } = await hookline("agents", "claude-code", "--capabilities");
    expect(out).toMatch(/^claude-code +PostToolUse +tool:result, tool:after +inject, replace/m);
    expect(out).toMatch(/^claude-code +UserPromptSubmit +prompt:submit, prompt:build +block, inject/m);
    expect(out).toMatch(/^claude-code +SessionEnd +session:end +-/m);
    expect(out).not.toMatch(/^codex/m);
    expect(err).toContain("-: rules and hooks cannot change this event");
    expect((await hookline("agents", "--capabilities")).out).toMatch(/^codex +PostToolUse +tool:result, tool:after/m);
    expect((await hookline("agents", "codex")).out).not.toContain("gemini");
    expect(await hookline("agents", "claud")).toMatchObject({ code: 2, err: expect.stringContaining("claude-code") });
  });

  it("says at load what an attached agent cannot do, and in hookline agents", async () => {
    await hookline("attach", "copilot");
    await hookline("attach", "codex");
    appendFileSync(file("config/hookline/hookline.toml"), '[[rule]]\nname = "spare"\nevent = "tool:before"\ndo = "allow"\n');
    const line = 'rule "spare": Codex cannot skip its own prompt at PreToolUse: it still asks.';
    await expect.poll(() => textOf("state/hookline/hub.log")).toContain(line);
    expect(textOf("state/hookline/hub.log")).not.toContain('rule "spare": Copilot');
    expect((await hookline("agents")).err).toContain(line);
  });

  it("says the same of a hook, in hooks list as well", async () => {
    await hookline("attach", "claude-code");
    home.write("config/hookline/redact.mjs", "export const handle = ({ value }) => ({ result: value });\n");
    const hook = '[[hook]]\nname = "redact"\nevent = "tool:result"\nmodule = "./redact.mjs"\nexport = "handle"\n';
    appendFileSync(file("config/hookline/hookline.toml"), hook);
    const line =
      'hook "redact": Claude Code does not accept a changed output at PostToolUseFailure: the model sees the original output of a failed call.';
    await expect.poll(() => textOf("state/hookline/hub.log")).toContain(line);
    expect(await hookline("policy", "accept", "--all")).toMatchObject({ code: 0 });
    await expect.poll(async () => (await hookline("agents")).err).toContain(line);
    expect((await hookline("hooks", "list")).err).toContain(line);
    expect(JSON.parse((await hookline("hooks", "list", "--json")).out)).toMatchObject([
      { name: "redact", limits: expect.arrayContaining([line]) },
    ]);
  });
});
