import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type CliHome, createHomeInProcess } from "../../../../../test/support/cli-home.js";
import { recommended, starterRules } from "../../rules/starter/starter-rules.js";

function open(): { home: CliHome; path: string } {
  const home = createHomeInProcess();
  onTestFinished(() => home.close());
  return { home, path: join(home.folder, "my.toml") };
}

describe("hookline rules", () => {
  it("adds a set once, keeps what is there, and leaves a copy of it", async () => {
    const { home, path } = open();
    const before = "# mine\n[hub]\nport = 0 # any";
    writeFileSync(path, before, { mode: 0o640 });
    expect(await home.run("rules", "add", "git-history", "--config", path)).toMatchObject({
      code: 0,
      out: ["force-push", "force-push-refs", "discard", "discard-files", "refs", "prune", "metadata"]
        .map((name) => `git-history/${name}\n`)
        .join(""),
      err: expect.stringContaining(`${path}.bak`),
    });
    const text = readFileSync(path, "utf8");
    expect(text.startsWith(`${before}\n`)).toBe(true);
    expect([readFileSync(`${path}.bak`, "utf8"), statSync(path).mode & 0o777]).toEqual([before, 0o640]);
    expect(await home.run("rules", "add", "git-history", "--config", path)).toMatchObject({ code: 0, out: "" });
    expect([readFileSync(path, "utf8"), readFileSync(`${path}.bak`, "utf8")]).toEqual([text, before]);
    expect(await home.run("rules", "test", "--config", path)).toMatchObject({ code: 0, err: expect.stringContaining(" 0 wrong") });
  });

  it("adds and removes several sets at once, shows what they do, and begins with few rules in shadow mode", async () => {
    const { home, path } = open();
    const names = () => [...readFileSync(path, "utf8").matchAll(/^name = "(.*)"$/gm)].map(([, name = ""]) => name);
    const setsIn = () => new Set(names().map((name) => name.slice(0, name.indexOf("/"))));
    const own = '[[rule]]\nname = "databases/mine"\nmatch = "tool.input.command contains x"\ndo = "ask"\n';
    writeFileSync(path, own, { mode: 0o600 });
    const few = await home.run("rules", "add", "databases", "persistence", "--config", path);
    expect(few).toMatchObject({
      code: 0,
      err: expect.stringMatching(/Rules to add:\n {2}databases +4 rules: 4 ask\n {2}persistence +5 rules: 5 ask\n/),
    });
    expect([few.err.includes("shadow"), setsIn()]).toEqual([false, new Set(["databases", "persistence"])]);
    expect(await home.run("rules", "remove", "databases", "persistence", "--config", path)).toMatchObject({ code: 0 });
    expect(names()).toEqual(["databases/mine"]);
    const all = await home.run("rules", "add", "recommended", "--config", path);
    expect(all).toMatchObject({ code: 0, err: expect.stringContaining("5 rules: 2 ask, 3 in shadow mode") });
    expect(all.err).toContain("hookline rules shadow");
    expect(setsIn()).toEqual(new Set(starterRules.map(({ name }) => name)));
    const rows = JSON.parse((await home.run("rules", "list", "--json", "--config", path)).out) as { name: string; state: string }[];
    expect(rows.filter(({ state }) => state === "shadow").map(({ name }) => name)).toEqual(recommended.shadow);
    expect(await home.run("rules", "promote", "persistence/git-settings", "--config", path)).toMatchObject({ code: 0 });
    expect(await home.run("rules", "remove", "recommended", "--config", path)).toMatchObject({ code: 0 });
    expect(readFileSync(path, "utf8")).toMatch(/^\[\[rule\]\]\nname = "databases\/mine"\n/);
    expect(names()).toEqual(["databases/mine"]);
    expect(await home.run("rules", "remove", "recommended", "--config", path)).toMatchObject({
      code: 0,
      err: expect.stringContaining("nothing"),
    });
    for (const wrong of [["add", "databases", "./x.tgz"], ["add", "databases", "persistance"], ["remove", "databases", "acme"], ["remove"]])
      expect([wrong, (await home.run("rules", ...wrong, "--config", path)).code]).toEqual([wrong, 2]);
    expect(names()).toEqual(["databases/mine"]);
  });

  it("adds the rules that protect Hookline with the first attach, and leaves them off once they were removed", async () => {
    const { home } = open();
    const path = join(home.folder, "config", "hookline", "hookline.toml");
    const names = () => [...readFileSync(path, "utf8").matchAll(/^name = "(.*)"$/gm)].map(([, name]) => name);
    const added = `Added the rules of self-protection to ${path}`;
    expect((await home.run("attach", "claude-code")).err).toContain(added);
    expect(names()).toContain("self-protection/commands");
    expect((await home.run("attach", "codex")).err).not.toContain("self-protection");

    writeFileSync(path, "");
    expect((await home.run("attach", "gemini")).err).toContain("Rules of self-protection that your configuration does not have stay off");
    expect(names()).toEqual([]);
    await home.run("rules", "add", "self-protection");
    expect(names()).toContain("self-protection/commands");
  });

  it("adds only what is missing, through a link", async () => {
    const { home, path } = open();
    const target = join(home.folder, "dotfiles.toml");
    writeFileSync(target, '[[rule]]\nname = "git-history/discard"\ndo = "block"\nenabled = false\n', { mode: 0o600 });
    symlinkSync(target, path);
    expect(await home.run("rules", "add", "git-history", "--config", path)).toMatchObject({
      code: 0,
      out: ["force-push", "force-push-refs", "discard-files", "refs", "prune", "metadata"].map((name) => `git-history/${name}\n`).join(""),
    });
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(JSON.parse((await home.run("rules", "list", "--json", "--config", path)).out)).toMatchObject([
      { name: "git-history/discard", do: "block", state: "disabled" },
      { name: "git-history/force-push", do: "ask", state: "no hub", onFailure: "closed", origin: expect.stringMatching(/my\.toml:\d+$/) },
      { name: "git-history/force-push-refs", do: "ask" },
      { name: "git-history/discard-files", do: "ask" },
      { name: "git-history/refs", do: "ask" },
      { name: "git-history/prune", do: "ask" },
      { name: "git-history/metadata", do: "ask" },
    ]);
  });

  it("changes nothing in a file that cannot be added to, and knows its sets", async () => {
    const { home, path } = open();
    for (const text of ["[[rule", 'rule = [{ name = "x", do = "block" }]\n']) {
      writeFileSync(path, text, { mode: 0o600 });
      expect(await home.run("rules", "add", "git-history", "--config", path)).toMatchObject({ code: 1, out: "" });
      expect([readFileSync(path, "utf8"), existsSync(`${path}.bak`)]).toEqual([text, false]);
    }
    expect(await home.run("rules", "add", "git-histroy")).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "git-history"?'),
    });
    expect(await home.run("rules", "add")).toMatchObject({ code: 2 });
    expect(await home.run("rules", "test", "nowhere.toml")).toMatchObject({ code: 1 });
  });

  it("says which examples are not as they should be", async () => {
    const { home, path } = open();
    const rule = (name: string, examples: string) =>
      `[[rule]]\nname = "${name}"\nmatch = "tool.input.command contains rm"\ndo = "block"\n${examples}\n`;
    writeFileSync(path, rule("a", 'examples = { catches = ["rm x", "ls"], passes = ["farm"] }') + rule("b", ""), { mode: 0o600 });
    const { code, out, err } = await home.run("rules", "test", path);
    expect([code, out]).toEqual([1, "✗ a does not catch ls\n✗ a catches farm, but must let it pass\n"]);
    expect(err).toContain("2 rules, 3 examples: 1 right, 2 wrong.");
    expect(err).toContain("b has no examples");
    expect(await home.run("rules", "test", "b", "--config", path)).toMatchObject({ code: 0, err: expect.stringContaining("1 rule, 0 ex") });
    expect(await home.run("rules", "test", "c", "--config", path)).toMatchObject({
      code: 1,
      err: expect.stringContaining('no rule "c" in'),
    });
  });

  it("lists a rule whose path cannot be checked, with a warning, also where a hub has loaded it", async () => {
    const { home } = open();
    home.write(
      "config/hookline/hookline.toml",
      `[[rule]]\nname = "own"\nevent = "myapp:deployed"\nmatch = "version == 2"\ndo = "notify"\nmessage = "m"\n`,
    );
    const warning = /hookline\.toml:4:10: warning: rule "own": "version" cannot be checked/;
    const alone = await home.run("rules", "list");
    expect(alone).toMatchObject({ code: 0, err: expect.stringMatching(warning), out: expect.stringContaining("no hub, path not checked") });
    const up = home.start("up");
    await vi.waitFor(() => expect(up.err + up.out).toMatch(warning), 15_000);
    const [row] = JSON.parse((await home.run("rules", "list", "--json")).out) as { state: string; warnings: string[] }[];
    expect(row).toMatchObject({ warnings: [expect.stringMatching(warning)] });
    expect(await home.run("config", "show")).toMatchObject({ code: 0, err: expect.stringMatching(warning) });
  });

  it("lists a rule that is wrong, by its name, and says where and why", async () => {
    const { home, path } = open();
    const wide = JSON.stringify(Array.from({ length: 40 }, (_, index) => `Tool${index}`));
    writeFileSync(
      path,
      `[[rule]]\nname = "bad"\nmatch = "tool.name =~ '('"\ndo = "block"\n[[rule]]\nname = "wide"\ntool = ${wide}\ndo = "block"\n`,
      { mode: 0o600 },
    );
    const { code, out, err } = await home.run("rules", "--config", path);
    expect([code, err]).toEqual([
      1,
      `${path}:3:23: rule "bad": "match" is wrong at character 14: This is not a regular expression: missing closing ): \`(\`.\n`,
    ]);
    expect(out).toMatch(/^bad +- +- +- +broken +- /m);
    writeFileSync(join(home.folder, "broken.toml"), `[[rule]]\nname = "bad"\ndo = "block"\nexample = 1\n`);
    const tested = await home.run("rules", "test", join(home.folder, "broken.toml"));
    expect([tested.code, tested.err.split("\n").length]).toEqual([1, 2]);
    expect(tested.err).toContain('Did you mean "examples"?');
    // Also where no terminal limits its width. JSON has everything.
    expect([out.includes("Tool39"), out.includes("…")]).toEqual([false, true]);
    expect((await home.run("rules", "list", "--json", "--config", path)).out).toContain("Tool39");
    expect(await home.run("rules", "lits")).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean "list"?') });
    expect((await home.run("config", "show", "--config", path)).out).toMatch(/^rule\[1\]\.tool = .{80,85}…$/m);
    expect((await home.run("config", "show", "--full", "--config", path)).out).toContain("Tool39");
  });

  it("lists all sets in 100 columns", async () => {
    const { home, path } = open();
    await home.run("rules", "add", "recommended", "--config", path);
    const lines = (await home.run("rules", "list", "--config", path)).out.trimEnd().split("\n");
    // What rules remember stands below the table.
    const [, ...rows] = lines.filter((line) => !line.includes(" acts: "));
    expect([rows.length, lines.length]).toEqual([49, 52]);
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    for (const line of rows) expect(line).toMatch(/^[\w-]+\/[\w-]+ +(?:block|ask) +\S.* (?:no hub|shadow) +(?:closed|open)/);
  });

  it("explains a command without a hub: first the verdict, then what it does and the rules that speak", async () => {
    const { home, path } = open();
    const rule = (name: string, command: string) => `[[rule]]\nname = "${name}"\ncommand = ${command}\ndo = "block"\n`;
    const big = '{ deletes = ["/", "~"], recursive = true }';
    const text = '[[rule]]\nname = "text"\nmatch = "tool.input.command contains publish"\ndo = "ask"\nmessage = "Really?"\n';
    writeFileSync(path, `${rule("big", big)}${rule("push", '{ git = "push", option = "--force" }')}${text}`, { mode: 0o600 });
    const explain = async (...words: string[]) => {
      const { code, out } = await home.run("rules", "explain", "--config", path, "--cwd", "/srv", ...words);
      return { code, out, first: out.slice(0, out.indexOf("\n")) };
    };
    const { code, out, first } = await explain("sudo rm -rf / && git push");
    expect([code, first]).toEqual([0, 'deny  big: The rule "big" says block.']);
    expect(out).toContain("2. rm -rf /, via sudo, privileged\n   options:    --recursive --force\n   dir:        /srv\n");
    expect(out).toContain("   deletes:    /, with everything below\n");
    expect(out).toContain('block  big: command 2 is "rm -rf /" (recursive, deletes)\n');
    expect(out).toContain("2 other rules do not apply. To see why: add --all\n");
    expect(out).not.toContain("push:");
    expect((await explain("--all", "sudo rm -rf / && git push")).out).toContain(
      "-      push: option does not fit, although git would fit, in command 3\n",
    );
    expect((await explain('rm -rf "$X"')).first).toMatch(/^ask {3}big: .*\bthe variable X is not set in the command\b/i);
    expect((await explain('rm -rf "$X"')).out).toContain(
      'block? big: command 1 is "rm -rf $X", and the variable X is not set in the command',
    );
    const asked = await explain("npm publish");
    expect([asked.first, asked.out.includes("ask    text: Really?\n")]).toEqual(["ask   text: Really?", true]);
    expect((await explain("ls")).first).toBe("pass  None of the 3 rules says anything about this call.");
    const json = JSON.parse((await home.run("rules", "explain", "--json", "--config", path, 'rm -rf "$X"')).out) as object;
    expect(json).toMatchObject({
      verdict: "ask",
      rule: "big",
      commands: [{ program: "rm", unknown: { deletes: "the variable X is not set in the command" } }],
      rules: [
        { rule: "big", answer: "unknown", why: expect.stringContaining("X is not set") },
        { rule: "push", answer: "no" },
        { rule: "text" },
      ],
    });
    const shown = await home.run("rules", "explain", "terraform destroy");
    expect(shown).toMatchObject({ code: 0, err: expect.stringContaining("No rule of yours asks about commands.") });
    expect(shown.out).toMatch(/^ask {3}infrastructure\/destroy: This destroys resources/);
    expect(await home.run("rules", "explain")).toMatchObject({ code: 2 });
    expect(await home.run("rules", "explain", "--set", "al", "ls")).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "all"?'),
    });
  });

  it("switches a rule off and on, and nothing else", async () => {
    const { home } = open();
    const text = '# mine\n[[rule]]\nname = "a" # the first\ndo = "block"\n';
    const path = home.write("config/hookline/hookline.toml", text);
    expect(await home.run("hooks", "disable", "a")).toMatchObject({ code: 1, err: expect.stringContaining("hookline rules disable 'a'") });
    expect(await home.run("rules", "disable", "a")).toMatchObject({ code: 0 });
    expect(readFileSync(path, "utf8")).toBe(text.replace("first\n", "first\nenabled = false\n"));
    expect(await home.run("rules", "enable", "a")).toMatchObject({ code: 0 });
    expect(readFileSync(path, "utf8")).toContain("enabled = true\n");
  });
});

describe("hookline init and config show", () => {
  it("writes a file that is right, once", async () => {
    const { home, path } = open();
    expect(await home.run("init", "--config", path)).toMatchObject({ code: 0, out: `${path}\n` });
    const text = readFileSync(path, "utf8");
    const [, schema = ""] = /^#:schema (file:\S+)\n/.exec(text) ?? [];
    expect(JSON.parse(readFileSync(new URL(schema), "utf8"))).toMatchObject({ properties: { rule: {}, sink: {}, hook: {} } });
    writeFileSync(path, text.replaceAll(/^# (?=\[|\w+ = )/gm, ""));
    expect(text).toContain("(-f|--force)\\\\b'");
    expect(await home.run("config", "show", "--config", path)).toMatchObject({
      code: 0,
      err: "",
      out: expect.stringContaining('rule[0].do = "ask"'),
    });
    expect(await home.run("init", "--config", path)).toMatchObject({ code: 0, err: expect.stringContaining("nothing was changed") });
  });

  it("says where each value comes from, hides secrets and tells what is wrong", async () => {
    const { home, path } = open();
    mkdirSync(home.folder, { recursive: true });
    writeFileSync(path, '[hub]\nport = 4100\n\n[[sink]]\ntype = "webhook"\nurl = "https://example.com/s3cret"\n', { mode: 0o600 });
    const { code, out } = await home.run("config", "show", "--origin", "--config", path);
    expect(code).toBe(0);
    expect(out).toContain(`hub.port = 4100  # ${path}:2\n`);
    expect(out).toContain('hub.host = "127.0.0.1"  # default\n');
    expect(out).not.toContain("s3cret");
    writeFileSync(path, "[hub]\nprot = 1\n");
    expect(await home.run("config", "show", "--config", path)).toMatchObject({
      code: 1,
      err: expect.stringContaining('Did you mean "port"?'),
    });
  });
});
