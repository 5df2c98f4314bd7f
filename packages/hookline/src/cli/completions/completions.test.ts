import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCliHome } from "../../../../../test/support/cli-home.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { commandList } from "../command-list.js";
import { candidatesFor } from "./candidates.js";
import { scripts } from "./scripts.js";

const env = { HOME: "/nonexistent", XDG_STATE_HOME: "/nonexistent" };
const wordsFor = async (...words: readonly string[]) => (await candidatesFor(commandList, words, env)).map(({ word }) => word);

describe("completions", () => {
  it("offer commands, subcommands, options and values, by what is typed so far", async () => {
    expect(await wordsFor("app")).toEqual(["approvals", "approve"]);
    expect(await wordsFor("rules", "sh")).toEqual(["shadow"]);
    expect(await wordsFor("attach", "--str")).toEqual(["--strict"]);
    expect(await wordsFor("attach", "code")).toEqual(["codex"]);
    expect(await wordsFor("attach", "--strict", "code")).toEqual(["codex"]);
    expect(await wordsFor("tail", "--event", "tool:be")).toEqual(["tool:before"]);
    expect(await wordsFor("export", "all.html", "--format", "")).toEqual(["jsonl", "csv", "html"]);
    expect(await wordsFor("hooks", "new", "mine", "--language", "p")).toEqual(["python"]);
    expect(await wordsFor("completions", "")).toEqual(["bash", "zsh", "fish"]);
    expect(await wordsFor("no-such-command", "")).toEqual([]);
  });

  it("are silent without a hub", async () => {
    expect(await wordsFor("approve", "")).toEqual([]);
    expect(await wordsFor("rules", "disable", "")).toEqual([]);
  });

  it("know the rules of a hub", async () => {
    const home = createCliHome();
    onTestFinished(() => home.close());
    home.write("config/hookline/hookline.toml", '[[rule]]\nname = "no-deploy"\nevent = "tool:before"\ndo = "block"\nmatch = "deploy"\n');
    await home.run("up", "--detach", "--port", "0");
    const { out } = await home.run("completions", "--words", "--", "rules", "disable", "no-");
    expect(out).toBe("no-deploy\t\n");
  });

  it("leave out ids that a shell would read as code", async () => {
    const home = createCliHome();
    onTestFinished(() => home.close());
    await home.run("up", "--detach", "--port", "0");
    for (const id of ["$(reboot)", "plain-1"]) {
      const { code, err } = await home.run("emit", "session:start", "--session", id);
      expect(code, err).toBe(0);
    }
    const words = async () => (await home.run("completions", "--words", "--", "tail", "--session", "")).out;
    await expect.poll(words).toContain("plain-1");
    expect(await words()).toBe("plain-1\t\n");
  });

  it.for(["bash", "zsh", "fish"])("have a script that %s can read", (shell, { skip }) => {
    const path = join(testFolder(), "script");
    writeFileSync(path, scripts[shell] ?? "");
    const { status, stderr, error } = spawnSync(shell, ["-n", path], { encoding: "utf8" });
    if (error !== undefined) return skip(`${shell} is not installed`);
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("complete a word with a colon in a real bash", async () => {
    const home = createCliHome();
    onTestFinished(() => home.close());
    const line = "hookline emit tool:bef";
    const words = "COMP_WORDS=(hookline emit tool : bef); COMP_CWORD=4";
    const program = `eval "$(hookline completions bash)"; COMP_LINE='${line}'; COMP_POINT=${line.length}; ${words}; _hookline; echo "\${COMPREPLY[@]}"`;
    expect(spawnSync("bash", ["-c", program], { env: home.env, encoding: "utf8" }).stdout).toBe("before\n");
  });
});
