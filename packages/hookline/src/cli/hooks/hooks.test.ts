import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CliHome, createHomeInProcess } from "../../../../../test/support/cli-home.js";
import { runAsShown } from "../../../../../test/support/run-as-shown.js";

// The built command line in this process, a dozen commands a test.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });
let home: CliHome;
beforeEach(() => {
  home = createHomeInProcess();
});
afterEach(() => home.close());

function put(name: string, text: string): string {
  mkdirSync(dirname(join(home.folder, name)), { recursive: true });
  writeFileSync(join(home.folder, name), text, { mode: 0o600 });
  return join(home.folder, name);
}

const hooks = (...args: readonly string[]) => home.run("hooks", ...args);
const listed = async () =>
  JSON.parse((await hooks("list", "--json")).out) as { name: string; state: string; calls?: number; onFailure?: string }[];
const states = async () => Object.fromEntries((await listed()).map(({ name, state }) => [name, state]));

const manifest = 'events: ["tool:before"]\npermissions: [tools.intercept]\n';
const guard = 'export const handle = () => ({ decision: "deny", reason: "no" });\n';

/** Whether the hook says no to what it is sent. */
const denies = async (name: string, command: string) =>
  (await hooks("test", name, "--payload", JSON.stringify({ tool: { name: "Bash", input: { command } } }))).code === 3;

describe("a folder without keys of ours", () => {
  const folder = "config/hookline/hooks/policy";
  const handler = "def handle(event_type, context):\n    return {'logged': True}\n";

  it("is listed as Hermes' and open, with what that means; a key of ours makes it ours", async () => {
    put(`${folder}/HOOK.yaml`, 'name: policy\nevents: ["tool:before"]\n');
    put(`${folder}/handler.py`, handler);
    const { out, err } = await hooks("list");
    expect(out).toMatch(/^policy +folder +user +active +tool:before +5 s +hermes, open /m);
    expect(err).toMatch(/^policy: .*HOOK\.yaml:1:1: .*Hermes' dialect.*fails open/m);
    expect(await listed()).toMatchObject([{ name: "policy", dialect: "hermes", onFailure: "open" }]);
    const doctor = await hooks("doctor");
    expect(doctor).toMatchObject({ code: 0, out: expect.stringMatching(/^note policy: hermes, open /m) });
    expect(doctor.out).toMatch(/^note policy: .*fails open/m);
    expect(await hooks("test", "policy")).toMatchObject({ code: 0, out: expect.stringMatching(/^verdict +pass$/m) });

    put(`${folder}/HOOK.yaml`, 'name: policy\nevents: ["tool:before"]\nonFailure: closed\n');
    const ours = await hooks("list");
    expect(ours.out).toMatch(/ tool:before +5 s +closed /);
    expect(ours.err).not.toContain("Hermes");
    expect(await hooks("test", "policy")).toMatchObject({ code: 1, out: expect.stringMatching(/^verdict +deny$/m) });
  });

  it("says which event on_session_end is, here and in the manifest of a process", async () => {
    put(`${folder}/HOOK.yaml`, "name: policy\nevents: [on_session_end]\n");
    put(`${folder}/handler.py`, handler);
    const hook = { protocol: 1, name: "p", command: "true", permissions: ["session.lifecycle"], hooks: [{ event: "on_session_end" }] };
    put("config/hookline/hooks/process/extension.json", JSON.stringify(hook));
    const { out, err } = await hooks("list");
    expect(out).toMatch(/^p +process +user +active +session:end /m);
    expect(err).toMatch(/^policy: .*"on_session_end" is turn:end here: in Hermes/m);
    expect(err).toMatch(/^p: .*"on_session_end" is session:end here: in synaps/m);
    expect((await hooks("doctor")).out).toMatch(/^note p: .*"on_session_end" is session:end here/m);
  });
});

describe("hooks new and test", () => {
  it.each(["ts", "js", "python", "sh"])("makes a folder in %s that works as it is", async (language) => {
    const made = await hooks("new", "my-guard", "--language", language);
    expect(made).toMatchObject({ code: 0, out: `${join(home.folder, "config/hookline/hooks/my-guard")}\n` });
    const tested = await hooks("test", "my-guard", "--event", "PreToolUse", "--json");
    expect([tested.code, JSON.parse(tested.out)]).toEqual([
      3,
      expect.objectContaining({ verdict: "deny", reason: "No forced pushes here.", errors: [] }),
    ]);
    const harmless = put(
      "event.json",
      JSON.stringify({ event: "tool:before", payload: { tool: { name: "Bash", input: { command: "git push origin bug-fix" } } } }),
    );
    expect(await hooks("test", "my-guard", "--event", harmless)).toMatchObject({ code: 0, out: expect.stringMatching(/^verdict +pass$/m) });
    expect(await denies("my-guard", "git push -f")).toBe(true);
    expect(await listed()).toMatchObject([{ name: "my-guard", state: "active", onFailure: "closed" }]);
  });

  it.each([
    ["prompt:submit", "python", 3, /^sent +"-----BEGIN PRIVATE KEY-----"$[\s\S]*^verdict +deny$/m],
    ["prompt:submit", "sh", 3, /^verdict +deny$/m],
    ["session:start", "ts", 0, /^inject +Run the tests/m],
    ["session:start", "sh", 0, /^inject +Run the tests/m],
    ["tool:result", "js", 0, /^verdict +unchanged$/m],
    ["tool:env", "python", 0, /^value +.*GIT_TERMINAL_PROMPT/m],
  ])("makes something for %s in %s that does its work", async (event, language, code, said) => {
    await hooks("new", "mine", "--language", language, "--event", event);
    expect(await hooks("test", "mine")).toMatchObject({ code, out: expect.stringMatching(said) });
  });

  it.each(["ts", "python", "sh"])("makes an observer in %s that writes a line", async (language) => {
    await hooks("new", "mine", "--language", language, "--event", "SessionEnd");
    expect(await hooks("test", "mine")).toMatchObject({ code: 0, out: expect.stringMatching(/^verdict +seen$/m) });
    expect(readFileSync(join(home.folder, "mine.log"), "utf8")).toMatch(/session:end.*\n$/);
  });

  it.each([
    ["tool:before", "closed"],
    ["session:start", "open"],
    ["tool:result", "closed"],
    ["session:end", "open"],
    ["command:reset", "closed"],
  ])("writes what happens when it fails into the manifest for %s", async (event, mode) => {
    await hooks("new", "mine", "--language", "js", "--event", event);
    const text = readFileSync(join(home.folder, "config/hookline/hooks/mine/HOOK.yaml"), "utf8");
    expect(text).toMatch(new RegExp(`^onFailure: ${mode}$`, "m"));
    const [row] = await listed();
    expect(row).toMatchObject({ state: "active", onFailure: mode });
    expect(row).not.toHaveProperty("dialect");
  });

  it("does not write over a hook, nor outside its folder", async () => {
    await hooks("new", "a", "--language", "js");
    expect(await hooks("new", "a", "--language", "js")).toMatchObject({
      code: 1,
      err: expect.stringContaining('The hook "a" already exists'),
    });
    for (const name of ["../a", "/a", ".a", "a/b"]) expect(await hooks("new", name)).toMatchObject({ code: 2 });
    expect(await hooks("new", "b", "--language", "cobol")).toMatchObject({ code: 2, err: expect.stringContaining("ts, js, python, sh") });
    expect(await hooks("new", "b", "--event", "tool:befor")).toMatchObject({ code: 2, err: expect.stringContaining("tool:before") });
  });

  it("says how a hook failed, and that a closed guard denies", async () => {
    put("config/hookline/hooks/broken/HOOK.yaml", manifest);
    put("config/hookline/hooks/broken/handler.sh", "echo oops; exit 1\n");
    const { code, out } = await hooks("test", "broken");
    expect([code, out]).toEqual([1, expect.stringMatching(/^verdict +deny$(.|\n)*^failure +crash$(.|\n)*^error +.*exit code 1/m)]);
  });

  it("shows what a hook reminds the model of", async () => {
    put("config/hookline/guard.mjs", 'export const handle = () => ({ reminder: { body: "Run the tests." } });\n');
    put("config/hookline/hookline.toml", '[[hook]]\nmodule = "guard.mjs"\nevent = "tool:before"\n');
    expect(await hooks("test", "guard")).toMatchObject({ code: 0, out: expect.stringMatching(/^remind +Run the tests\.$/m) });
    expect(JSON.parse((await hooks("test", "guard", "--json")).out)).toMatchObject({ reminders: ["Run the tests."] });
  });

  it("tests a module of hookline.toml, and says when it does not match", async () => {
    put("config/hookline/guard.mjs", 'export const handle = () => ({ decision: "deny", reason: "no" });\n');
    put("config/hookline/hookline.toml", '[[hook]]\nmodule = "guard.mjs"\nevent = "tool:before"\ntool = "Bash"\n');
    expect(await hooks("test", "guard")).toMatchObject({ code: 3, out: expect.stringMatching(/^reason +no$/m) });
    expect(await hooks("test", "guard", "--event", "prompt:submit")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/was not asked[\s\S]*--event file\.json/),
    });
    expect(await hooks("test", "guard", "--event", "nowhere.json")).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no file "nowhere.json"'),
    });
    expect(await hooks("test", "gaurd")).toMatchObject({ code: 1, err: expect.stringContaining('Did you mean "guard"?') });
  });
});

describe("a project's hooks", () => {
  const path = ".hookline/hooks/guard/handler.js";
  beforeEach(() => {
    put(".hookline/hooks/guard/HOOK.yaml", manifest);
    put(path, guard);
  });

  it("do not run before consent, and again not after a change", async () => {
    expect(await states()).toEqual({ guard: "untrusted" });
    expect(await hooks("test", "guard")).toMatchObject({ code: 1, err: expect.stringContaining("untrusted") });
    const shown = await hooks("trust", "guard");
    expect(shown).toMatchObject({
      code: 1,
      out: expect.stringContaining("runs     handler.js"),
      err: expect.stringContaining("There is no terminal to ask at"),
    });
    expect(await states()).toEqual({ guard: "untrusted" });
    const [, digest = ""] = /--digest ([0-9a-f]+)/.exec(shown.err) ?? [];
    put(path, "throw new Error('evil');");
    expect(await hooks("trust", "guard", "--digest", digest)).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not what was shown"),
    });
    expect(await states()).toEqual({ guard: "untrusted" });
    put(path, guard);
    expect(await hooks("trust", "guard", "--digest", digest)).toMatchObject({ code: 0 });
    expect(await states()).toEqual({ guard: "active" });
    expect(await hooks("test", "guard")).toMatchObject({ code: 3 });
    put(path, "throw new Error('evil');");
    expect(await states()).toEqual({ guard: "modified" });
    expect(await hooks("test", "guard")).toMatchObject({ code: 1, err: expect.stringContaining("modified") });
    expect(await hooks("doctor")).toMatchObject({ code: 1, out: expect.stringContaining("changed since consent") });
    expect((await hooks("trust", "guard")).out).toMatch(
      /^Changed since you consented:\n--- a\/handler\.js[\s\S]*^-export const handle[\s\S]*^\+throw new/m,
    );
    put(path, guard);
    expect(await hooks("revoke", "guard")).toMatchObject({ code: 0 });
    expect(await states()).toEqual({ guard: "revoked" });
  });

  it("have no consent while neither the record of consent nor its backup can be read, and doctor reports that", async () => {
    await runAsShown(home, "hooks", "trust", "guard");
    writeFileSync(join(home.state, "trust.json"), "{");
    expect(await states()).toEqual({ guard: "active" });
    expect(await hooks("doctor")).toMatchObject({ code: 1, out: expect.stringContaining("Its backup is used") });
    writeFileSync(join(home.state, "trust.json.bak"), "{");
    expect(await states()).toEqual({ "trust.json": "broken", guard: "untrusted" });
    expect(await hooks("test", "guard")).toMatchObject({ code: 1, err: expect.stringContaining("untrusted") });
    expect(await hooks("list")).toMatchObject({ code: 0, err: expect.stringContaining("rm -f") });
    expect(await hooks("doctor")).toMatchObject({ code: 1, out: expect.stringContaining("FAIL trust.json") });
    const { code } = await home.run("selftest");
    expect(code).toBe(1);
  });

  it("that cannot be trusted do not stop the questions about the next", async () => {
    put(".hookline/hooks/aaa", "no folder");
    put(".hookline/hooks/bbb/HOOK.yaml", "");
    symlinkSync("/etc/passwd", join(home.folder, ".hookline/hooks/bbb/link"));
    const { code, out, err } = await hooks("trust");
    expect([code, err]).toEqual([1, expect.stringContaining("leads out of the folder")]);
    expect(out).toContain("hook     guard");
  });

  it("are not all trusted by one digest", async () => {
    expect(await hooks("trust", "--digest", "3f9a1c5b7d2e")).toMatchObject({ code: 2 });
    expect(await states()).toEqual({ guard: "untrusted" });
  });

  it("cannot allow", async () => {
    put(path, 'export const handle = () => ({ decision: "allow" });\n');
    await runAsShown(home, "hooks", "trust", "guard");
    expect(await hooks("test", "guard")).toMatchObject({ code: 0, out: expect.stringMatching(/^verdict +pass$/m) });
  });
});

describe("a project's rules", () => {
  const path = ".hookline/hookline.toml";
  const rule = (name: string, action: string) => `[[rule]]\nname = "${name}"\ntool = "Read"\ndo = "${action}"\n`;

  it("stay in force when their file is changed, and what does not count is said", async () => {
    put(path, `[hub]\nport = 1\n${rule("no", "block")}${rule("yes", "allow")}`);
    const { out, err } = await runAsShown(home, "hooks", "trust", "hookline.toml");
    expect(out).toMatch(/^rules +no \(block\)\nrefused +yes \(allow\): .*\nignored +\[hub\]: /m);
    expect(err).toContain("these rules stay in force until you consent again");
    expect(await home.run("rules", "test", path)).toMatchObject({ code: 1, err: expect.stringContaining('it has no do = "allow"') });
    put(path, rule("no", "ask"));
    expect(await hooks("list")).toMatchObject({
      code: 0,
      err: expect.stringMatching(/the rules that you consented to stay in force\. To review/),
    });
    expect((await hooks("trust", "hookline.toml")).out).toMatch(/^-do = "block"$[\s\S]*^\+do = "ask"$/m);
  });
});

describe("a user's hooks", () => {
  it("are switched off and on; the rest of the file stays", async () => {
    await hooks("new", "mine", "--language", "js");
    const file = join(home.folder, "config/hookline/hooks/mine/HOOK.yaml");
    const text = readFileSync(file, "utf8");
    expect(await hooks("disable", "mine")).toMatchObject({ code: 0 });
    expect(await states()).toEqual({ mine: "disabled" });
    expect(readFileSync(file, "utf8")).toBe(`${text}enabled: false\n`);
    expect(await hooks("enable", "mine")).toMatchObject({ code: 0 });
    expect(await states()).toEqual({ mine: "active" });
  });

  it("are each listed, whatever is wrong with another", async () => {
    await hooks("new", "good", "--language", "js");
    put("config/hookline/hooks/empty/readme", "");
    put("config/hookline/hooks/bad/HOOK.yaml", "events: [tool:befor]\n");
    put("config/hookline/hookline.toml", '[[hook]]\nmodule = "x.mjs"\nevent = "nope"\n');
    expect(await states()).toEqual({ "hook[0]": "broken", bad: "broken", empty: "broken", good: "active" });
    expect(await hooks("list")).toMatchObject({ code: 0, err: expect.stringContaining("tool:before") });
    const { out } = await hooks("doctor");
    expect(out.match(/^FAIL .*\n {5}run: .*$/gm)?.length).toBe(3);
  });

  it("that cannot be started are opened at their code", async () => {
    await hooks("new", "mine", "--language", "js");
    put("config/hookline/hooks/mine/handler.js", "\nexport const handle = (");
    const { code, out } = await hooks("doctor");
    const file = join(home.folder, "config/hookline/hooks/mine/handler.js");
    expect([code, out]).toEqual([1, expect.stringMatching(/^FAIL mine: it cannot be started: .*handler\.js:2\)$/m)]);
    expect(out).toContain(`     run: \${EDITOR:-vi} ${file}\n`);
  });

  it("are new until they are reviewed", async () => {
    await hooks("new", "mine", "--language", "js");
    expect((await hooks("doctor")).out).toContain("new  mine");
    expect((await home.run("doctor")).out).toContain("new or changed since your last review: mine");
    await hooks("doctor", "--reviewed");
    expect((await hooks("doctor")).out).not.toContain("new  mine");
    put("config/hookline/hooks/mine/handler.js", guard);
    expect((await hooks("doctor")).out).toContain("new  mine");
  });

  it("have fired, or never", async () => {
    put("config/hookline/guard.mjs", guard);
    const config = put("config/hookline/hookline.toml", '[[hook]]\nmodule = "guard.mjs"\nevent = "tool:before"\n');
    expect((await hooks("list")).out).not.toContain("never fired");
    expect(await home.run("up", "--detach", "--port", "0", "--config", config)).toMatchObject({ code: 0 });
    expect((await hooks("list")).out).toMatch(/^guard +module +user +active +tool:before +5 s +closed +0 +never fired$/m);
    await home.run("emit", "tool:before", "--decide", "--payload", '{"tool":{"name":"bash","input":{}}}');
    expect((await hooks("list")).out).toMatch(/ closed +1 +\d+ \w+ ago$/m);
  });
});

describe("hooks import", () => {
  it("prints what belongs into hookline.toml, and says what was left out", async () => {
    const settings = { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./x.sh" }, { type: "prompt" }] }] } };
    const file = put("project/.claude/settings.json", JSON.stringify(settings));
    const { code, out, err } = await hooks("import", "claude-settings", file);
    expect([code, err]).toEqual([1, expect.stringContaining("hooks.PreToolUse[0].hooks[1]")]);
    expect(out).toContain(`cwd = "${join(home.folder, "project")}"`);
    const whale = put("config.toml", '[[hooks.hooks]]\nevent = "message_submit"\ncommand = "x"\n');
    expect(await hooks("import", "codewhale", whale)).toMatchObject({ code: 0, out: expect.stringContaining('event = "prompt:submit"') });
    const bad = put("bad.toml", '[[hooks.hooks]]\n[[hooks.hooks]]\nname = "mine"\nevent = "stop"\ncommand = "x"\n');
    expect(await hooks("import", "codewhale", bad)).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /bad\.toml:1: hooks\.hooks\[0\]: left out\..*\n.*bad\.toml:2: "mine" \(hooks\.hooks\[1\]\): left out\. There is no event "stop"/,
      ),
    });
    expect(await hooks("import", "vim", whale)).toMatchObject({ code: 2 });
    expect(await hooks("import", "codewhale", "nowhere")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/There is no file.*\nRun: hookline hooks \w+ --help/),
    });
    expect(existsSync(join(home.folder, "config"))).toBe(false);
  });
});
