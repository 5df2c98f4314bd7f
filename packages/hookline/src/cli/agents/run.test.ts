import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { openLivenessSocket } from "@hookline/core/internal/machine";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createCliHome } from "../../../../../test/support/cli-home.js";
import { leaveDeadSocket } from "../../../../../test/support/dead-socket.js";
import { type FakeRun, putFakeAgent } from "../../../../../test/support/fake-agent.js";

// Real processes: the built command line, a hub, and programs under the agents' names.
const rule = `[[rule]]
name = "no-rm"
event = "tool:before"
match = "tool.input.command contains 'rm -rf'"
do = "block"
message = "not here"
`;
vi.setConfig({ testTimeout: 180_000 });
const home = createCliHome();
const PATH = putFakeAgent(home, "claude", "codex", "gemini", "copilot", "pi", "goose", "some-agent");
const runs = join(home.state, "attach", "runs");
const run = (...args: string[]) => home.runWith({ env: { PATH } }, "run", ...args);
const resultOf = ({ out }: { readonly out: string }) => JSON.parse(out.split("\n")[0] ?? "") as FakeRun;

beforeAll(async () => {
  home.write("config/hookline/hookline.toml", rule);
  expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
});
afterAll(() => home.close());

describe("hookline run", () => {
  it.each([[[]], [["--strict"]]])("guards one run %j, and leaves nothing behind", async (options) => {
    const ended = await run(...options, "--", "claude", "--do", "rm -rf /", "--exit", "7");
    expect(ended).toMatchObject({ code: 7, err: expect.stringMatching(/Hookline watches .* for this run/) });
    expect(resultOf(ended)).toMatchObject({ hooks: 1, denied: expect.stringContaining("(rule no-rm): not here.") });
    expect(resultOf(await run(...options, "--", "claude", "--do", "ls")).denied).toBeUndefined();
    expect(readdirSync(runs)).toEqual([]);
    expect(existsSync(join(home.folder, ".claude"))).toBe(false);
  });

  it("gives the agent its stdin, and its words as they are", async () => {
    const words = ["-p", "two words", "", "--", "--strict", "$HOME"];
    const { out } = await home.runWith({ env: { PATH }, input: "typed" }, "run", "--", "claude", "--read", ...words);
    expect(resultOf({ out })).toMatchObject({ stdin: "typed", args: ["--settings", expect.any(String), "--read", ...words] });
  });

  it("adds its hooks to settings that are given, and keeps what else they say", async () => {
    const own = home.write(
      "mine.json",
      JSON.stringify({ model: "x", hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "true" }] }] } }),
    );
    for (const given of [
      ["--settings", own],
      ["--settings", readFileSync(own, "utf8")],
    ]) {
      const { settings, hooks } = resultOf(await run("--", "claude", ...given, "--do", "ls"));
      expect([settings?.model, hooks]).toEqual(["x", 2]);
    }
    const broken = await run("--", "claude", "--settings", "nowhere.json");
    expect(broken).toMatchObject({ code: 1, out: "", err: expect.stringContaining("--settings") });
    // Claude Code would ignore all of them.
    for (const [name, ignored] of Object.entries({ model: '{"model":5}', "hooks.PreToolUse": '{"hooks":{"PreToolUse":7}}' })) {
      const refused = await run("--strict", "--", "claude", "--settings", ignored, "--do", "ls");
      expect(refused).toMatchObject({ code: 1, out: "", err: expect.stringContaining(`does not accept "${name}" in --settings`) });
    }
  });

  it("ends as the agent ends, by signal too, and passes signals on", async () => {
    expect(await run("--", "claude", "--die")).toMatchObject({ code: null });
    const { child, ended } = home.start("run", "--", join(home.folder, "fake", "bin", "claude"), "--linger");
    let out = "";
    child.stdout?.on("data", (text: string) => (out += text));
    await expect.poll(() => out).toMatch(/^up$/m);
    expect(readdirSync(runs)).toHaveLength(1);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 9, out: expect.stringContaining("told to end") });
    expect(readdirSync(runs)).toEqual([]);
  });

  it("gives Codex its hooks as options, and says that it will not run them unreviewed", async () => {
    const ended = await run("--", "codex", "exec", "hello");
    const { args } = resultOf(ended);
    expect(args[1]).toMatch(
      /^hooks\.SessionStart=\[\{hooks=\[\{type="command",command="\/usr\/bin\/env -i .*codex\.\w+\.\w+ SessionStart",timeout=\d+\}\]\}\]$/,
    );
    expect(args.slice(-2)).toEqual(["exec", "hello"]);
    expect(ended.err).toContain("Hookline does not see this run: Codex silently skips hooks that you have not reviewed");
    expect(await run("--strict", "--", "codex", "exec", "hello")).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("not started"),
    });
    const bypassed = await run("--strict", "--", "codex", "exec", "--dangerously-bypass-hook-trust", "hello");
    expect(bypassed).toMatchObject({ code: 0, err: expect.stringContaining("watches Codex for this run, in strict mode") });
  });

  it("gives Gemini CLI a folder of settings that has everything of the user's, and takes back what it made", async () => {
    const settings = home.write(".gemini/settings.json", '{ "ui": {} } // mine\n');
    home.write(".gemini/oauth.json", "{}");
    const look = home.write(
      "fake/bin/gemini",
      '#!/bin/sh\ncat "$GEMINI_CLI_HOME/.gemini/settings.json"\nreadlink "$GEMINI_CLI_HOME/.gemini/oauth.json"\nmkdir "$GEMINI_CLI_HOME/.gemini/tmp"\necho chat > "$GEMINI_CLI_HOME/.gemini/tmp/log"\n',
    );
    expect(statSync(look).isFile()).toBe(true);
    const { out, code } = await run("--strict", "--", "gemini");
    expect([code, out]).toEqual([0, expect.stringMatching(/gemini-strict\.\w+\.\w+ BeforeTool/)]);
    expect(out).toContain("// mine");
    expect(out.trimEnd().split("\n").at(-1)).toBe(join(home.folder, ".gemini", "oauth.json"));
    expect(readFileSync(settings, "utf8")).toBe('{ "ui": {} } // mine\n');
    expect(readFileSync(join(home.folder, ".gemini/tmp/log"), "utf8")).toBe("chat\n");
    home.write(".gemini/settings.json", '{ "hooksConfig": { "enabled": false } }');
    expect(await run("--strict", "--", "gemini")).toMatchObject({ code: 1, err: expect.stringContaining("switched off") });
  });

  it("gives Copilot CLI a plugin", async () => {
    const [option, folder = ""] = resultOf(await run("--strict", "--", "copilot", "-p", "hello")).args;
    expect(option).toBe("--plugin-dir");
    const { hooks } = JSON.parse(readFileSync(join(folder, "hooks.json"), "utf8")) as { hooks: { preToolUse: unknown[] } };
    expect(hooks.preToolUse).toEqual([
      {
        type: "command",
        bash: expect.stringMatching(/copilot-strict\.\w+\.\w+ preToolUse$/),
        timeoutSec: 600,
        env: expect.objectContaining({ BASH_ENV: "", ENV: "" }),
      },
    ]);
  });

  it.each([
    ["qwen", "QWEN_HOME", ".qwen/settings.json", '{ "ui": {} } // mine\n', "PreToolUse"],
    ["kimi", "KIMI_CODE_HOME", ".kimi-code/config.toml", '# mine\ndefault_model = "x"\n', "PreToolUse"],
  ])("gives %s a folder of settings by %s", async (name, variable, file, text, event) => {
    const settings = home.write(file, text);
    const other = home.write(join(dirname(file), "oauth.json"), "{}");
    const shown = `cat "$${variable}/${basename(file)}"; readlink "$${variable}/oauth.json"; echo chat > "$${variable}/log"`;
    home.write(`fake/bin/${name}`, `#!/bin/sh\n[ "$1" != --version ] || exit 0\n${shown}\n`);
    chmodSync(join(home.folder, "fake/bin", name), 0o755);
    const { out, code, err } = await run("--strict", "--", name);
    expect([code, out, err]).toEqual([
      0,
      expect.stringMatching(new RegExp(`${name}-strict\\.\\w+\\.\\w+ ${event}`)),
      expect.stringMatching(/watches .* in strict mode/),
    ]);
    expect(out).toContain("mine");
    expect(out.trimEnd().split("\n").at(-1)).toBe(other);
    expect(readFileSync(settings, "utf8")).toBe(text);
    expect(readFileSync(join(dirname(settings), "log"), "utf8")).toBe("chat\n");
    expect(readdirSync(runs)).toEqual([]);
  });

  it("starts Qwen Code and Kimi Code with --strict if they are attached so, and doctor has nothing against them", async () => {
    home.write(".kimi-code/config.toml", "");
    for (const name of ["qwen", "kimi"]) {
      home.write(`fake/bin/${name}`, '#!/bin/sh\n[ "$1" != --version ] || exit 0\necho started\n');
      chmodSync(join(home.folder, "fake/bin", name), 0o755);
      const attached = await home.runWith({ env: { PATH } }, "attach", name, "--strict");
      expect(attached).toMatchObject({ code: 0, err: expect.stringContaining("sessions that are already running are not guarded") });
      expect(await run("--strict", "--", name)).toMatchObject({ code: 0, out: "started\n" });
    }
    const { checks } = JSON.parse((await home.runWith({ env: { PATH } }, "doctor", "--json")).out) as {
      checks: { id: string; state: string }[];
    };
    expect(checks.find(({ id }) => id === "agent-active")).toMatchObject({ state: "ok" });
    for (const name of ["qwen", "kimi"]) await home.runWith({ env: { PATH } }, "detach", name);
  });

  it("does not start Qwen Code or Kimi Code with --strict if their hooks would not run", async () => {
    const bare = await run("--strict", "--", "qwen", "--bare");
    expect(bare).toMatchObject({ code: 1, out: "", err: expect.stringContaining("runs no hooks with --bare") });
    home.write(".kimi-code/config.toml", '[[hooks]]\nevent = "PreToolUse"\ncommand = "true"\ntimeout = 0\n');
    expect(await run("--strict", "--", "kimi")).toMatchObject({ code: 1, out: "", err: expect.stringContaining("runs no hook at all") });
    expect((await run("--", "kimi")).err).toContain("Hookline does not see this run");
  });

  it("gives pi an extension, and says that its packages are managed without it", async () => {
    const [option, path = "", ...rest] = resultOf(await run("--strict", "--", "pi", "-ne", "-p", "hello")).args;
    expect([option, basename(path), rest]).toEqual(["--extension", "hookline.ts", ["-ne", "-p", "hello"]]);
    const listed = await run("--", "pi", "list");
    expect([resultOf(listed).args, listed.err]).toEqual([["list"], expect.stringContaining('"pi list" starts no session')]);
  });

  it("gives OpenCode a plugin in a variable, after what the user has there, and locks the providers", async () => {
    home.write("fake/bin/opencode", '#!/bin/sh\n[ "$1" != --version ] || exit 0\nprintf %s "$OPENCODE_CONFIG_CONTENT"\n');
    chmodSync(join(home.folder, "fake/bin/opencode"), 0o755);
    const given = (content: object, ...words: string[]) =>
      home.runWith({ env: { PATH, OPENCODE_CONFIG_CONTENT: JSON.stringify(content) } }, "run", ...words);
    const plugin = expect.stringMatching(/^file:.*\/hookline\.js$/);
    const loose = await given({ model: "x", plugin: ["mine"] }, "--", "opencode", "run");
    expect(JSON.parse(loose.out)).toEqual({ model: "x", plugin: ["mine", plugin] });
    expect(JSON.parse((await run("--strict", "--", "opencode")).out)).toEqual({ plugin: [plugin], enabled_providers: ["hookline:*"] });
    home.write("opencode.json", '{ "enabled_providers": ["anthropic"] }');
    expect(JSON.parse((await run("--strict", "--", "opencode")).out)).toMatchObject({ enabled_providers: ["hookline:anthropic"] });
    for (const words of [
      ["run", "--pure"],
      ["attach", "http://127.0.0.1:1"],
      ["run", "--attach=http://127.0.0.1:1"],
    ])
      expect(await run("--strict", "--", "opencode", ...words)).toMatchObject({
        code: 1,
        out: "",
        err: expect.stringContaining("not started"),
      });
    const broken = await home.runWith({ env: { PATH, OPENCODE_CONFIG_CONTENT: "[]" } }, "run", "--", "opencode");
    expect(broken).toMatchObject({ code: 1, out: "", err: expect.stringContaining("OPENCODE_CONFIG_CONTENT") });
  });

  it("does not start an agent that has hooks only in its own files, and says how to attach it", async () => {
    expect(await run("--", "goose", "run")).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/Goose reads hooks only from its own files.*not started[\s\S]*hookline attach goose/),
    });
  });

  it("runs what it does not know, says so, and does not under --strict", async () => {
    const ended = await run("--", "some-agent", "--exit", "5");
    expect(ended).toMatchObject({ code: 5, err: expect.stringContaining("is not an agent that Hookline can watch") });
    expect(resultOf(ended).args).toEqual(["--exit", "5"]);
    expect(await run("--strict", "--", "some-agent")).toMatchObject({ code: 2, out: "" });
    expect(await run("--", "no-such-program-at-all")).toMatchObject({ code: 127, err: expect.stringContaining("not in the PATH") });
  });

  it("adds nothing to an attached agent, and does not make it stricter", async () => {
    expect(await home.runWith({ env: { PATH } }, "attach", "claude-code")).toMatchObject({ code: 0 });
    const ended = await run("--", "claude", "--do", "rm -rf /");
    expect([resultOf(ended).args, resultOf(ended).denied]).toEqual([
      ["--do", "rm -rf /"],
      expect.stringContaining("(rule no-rm): not here."),
    ]);
    expect(await run("--strict", "--", "claude")).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("hookline attach claude-code --strict"),
    });
    await home.runWith({ env: { PATH } }, "attach", "claude-code", "--strict");
    expect(resultOf(await run("--strict", "--", "claude", "--do", "rm -rf /"))).toMatchObject({
      hooks: 1,
      denied: expect.stringContaining("(rule no-rm): not here."),
    });
    await home.runWith({ env: { PATH } }, "detach", "claude-code");
  });

  it("does not start an attached Codex with --strict if its hooks are not reviewed", async () => {
    await home.runWith({ env: { PATH } }, "attach", "codex", "--strict");
    expect(await run("--strict", "--", "codex", "exec")).toMatchObject({ code: 1, out: "", err: expect.stringContaining("/hooks") });
    expect(await run("--strict", "--", "codex", "--dangerously-bypass-hook-trust")).toMatchObject({ code: 0 });
    expect((await run("--", "codex")).err).toContain("/hooks");
    await home.runWith({ env: { PATH } }, "detach", "codex");
  });

  it("without a hub lets calls go on and counts them, or denies all, and says which", async () => {
    const other = createCliHome();
    try {
      const path = putFakeAgent(other, "claude");
      const alone = (...args: string[]) => other.runWith({ env: { PATH: path } }, ...args);
      const loose = await alone("run", "--", "claude", "--do", "ls");
      expect(loose.err).toContain("No hub is running: the calls of Claude Code continue unseen");
      expect(resultOf(loose).denied).toBeUndefined();
      const strict = await alone("run", "--strict", "--", "claude", "--do", "ls");
      expect(strict.err).toContain("every call of Claude Code is denied until one starts");
      expect(resultOf(strict).denied).toContain("could not ask its hub");
      const rows = JSON.parse((await alone("agents", "--json")).out) as { agent: string; missed: number }[];
      expect(rows.find(({ agent }) => agent === "claude-code")?.missed).toBe(2);
    } finally {
      await other.close();
    }
  });

  it("removes the files of a killed run, but not those of a live run whose process is not visible", async () => {
    for (const name of ["dead", "alive"]) mkdirSync(join(runs, name), { recursive: true });
    await leaveDeadSocket(join(runs, "dead", "alive.sock"));
    const { close } = openLivenessSocket(join(runs, "alive"), "alive.sock");
    await run("--", "claude");
    expect(readdirSync(runs)).toEqual(["alive"]);
    close();
    rmSync(join(runs, "alive"), { recursive: true });
  });
});
