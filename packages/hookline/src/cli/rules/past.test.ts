import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createCliHome } from "../../../../../test/support/cli-home.js";
import type { BacktestAnswer } from "../../hub/protocol.js";

const fixture = fileURLToPath(new URL("../../../src/agents/claude-code/fixtures/session-2.1.325.jsonl", import.meta.url));
const SESSION = "13c82d6c-bd0c-4527-be93-00a2694c7354";
const soon = { timeout: 60_000 };

const toml = `# mine
[[rule]]
name = "no-rm" # not yet
mode = "shadow" # until it is right
tool = "Bash"
match = "tool.input.command =~ '^rm '"
do = "block"

[[rule]]
name = "ask-echo"
tool = "Bash"
match = "tool.input.command =~ '^echo'"
do = "ask"
`;

describe("rules and the past", () => {
  it("imports, backtests, compares, shows what shadow rules would have said, and promotes them", async () => {
    const home = createCliHome();
    onTestFinished(() => home.close());
    const path = join(home.folder, "config", "hookline", "hookline.toml");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, toml);
    const projects = join(home.folder, ".claude", "projects", "p");
    mkdirSync(projects, { recursive: true });
    cpSync(fixture, join(projects, `${SESSION}.jsonl`));

    // Without a hub there is no record to add to, and none to read.
    expect(await home.run("import")).toMatchObject({ code: 4 });
    expect(await home.run("rules", "backtest")).toMatchObject({ code: 1, err: expect.stringContaining("hookline audit") });
    const imported = async (...args: string[]) => JSON.parse((await home.run("import", ...args, "--json")).out) as object[];
    const [first, ...others] = await imported("--dry-run");
    expect(first).toMatchObject({ agent: "claude-code", events: 21, stored: 0 });
    for (const other of others) expect(other).toMatchObject({ events: 0 });
    expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
    // Without the hub it is not known which are new.
    expect((await home.run("import", "--dry-run")).out).toMatch(/^Claude Code +1 +1 +\d+ +- +- /m);
    expect(await imported("claude-code")).toMatchObject([{ stored: 21, duplicates: 0 }]);
    expect((await imported())[0]).toMatchObject({ stored: 0, duplicates: 21 });
    const [event = ""] = (await home.run("tail", "--no-follow", "--json", "-n", "1")).out.split("\n");
    expect((await home.run("show", (JSON.parse(event) as { id: string }).id)).out).toMatch(
      /^ {2}from +claude-code on \S+, instance claude-code$/m,
    );
    expect(await home.run("import", "claude-cod")).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean "claude-code"?') });

    const backtest = async (...args: string[]) =>
      JSON.parse((await home.run("rules", ...args, "--since", "2026-01-01", "--json")).out) as BacktestAnswer;
    expect(await backtest("backtest")).toMatchObject({
      imported: 7,
      changes: { ask: 1, block: 0 },
      examples: [{ by: "ask-echo", was: "pass", now: "ask" }],
    });
    expect(await backtest("backtest", "--rule", "ask-echo")).toMatchObject({
      changes: { ask: 1 },
      rules: [{ name: "ask-echo", matched: 1 }],
    });
    expect(await backtest("backtest", "--set", "git-history")).toMatchObject({ changes: { ask: 0, block: 0 } });
    expect(await home.run("rules", "backtest", "--set", "git-histori")).toMatchObject({
      code: 2,
      err: expect.stringContaining("git-history"),
    });
    const other = join(home.folder, "other.toml");
    writeFileSync(other, toml.replace("^echo", "^false").replace('"ask"', '"block"'));
    expect(await backtest("diff", path, other)).toMatchObject({ changes: { block: 1, pass: 1 } });
    expect(await backtest("coverage")).toMatchObject({
      unmatched: ["no-rm"],
      unlooked: expect.arrayContaining([{ event: "prompt:submit", tool: "", calls: 2 }]),
    });
    const broken = join(home.folder, "broken.toml");
    writeFileSync(broken, `${toml}\n[[rule]]\nname = "bad"\ndo = "sing"\n`);
    for (const words of [
      ["backtest", broken],
      ["diff", path, broken],
      ["coverage", broken],
    ])
      expect(await home.run("rules", ...words)).toMatchObject({ code: 1, err: expect.stringContaining('"sing"') });
    expect(await home.run("rules", "backtest", broken, "--rule", "ask-echo")).toMatchObject({ code: 0 });
    for (const command of ["backtest", "coverage"])
      expect((await home.run("rules", command, "--since", "2026-01-01")).out).toContain("7 calls");

    // What a rule in the shadow says is recorded, and decides nothing.
    expect((await home.run("rules", "list", "--json")).out).toContain('"shadow"');
    const call = JSON.stringify({ session: { id: "live" }, tool: { name: "Bash", input: { command: "rm -rf build" } } });
    expect((await home.run("emit", "tool:before", "--decide", "--payload", call)).out).toContain("pass");
    await vi.waitFor(
      async () =>
        expect(JSON.parse((await home.run("rules", "shadow", "--json")).out)).toMatchObject([{ rule: "no-rm", would: "block", times: 1 }]),
      soon,
    );
    expect((await home.run("rules", "shadow")).out).toContain("rm -rf build");
    expect(await home.run("rules", "promote", "no-rm")).toMatchObject({ code: 0 });
    expect(readFileSync(path, "utf8")).toBe(toml.replace('mode = "shadow" #', 'mode = "enforce" #'));
    await vi.waitFor(
      async () => expect((await home.run("emit", "tool:before", "--decide", "--payload", call)).out).toContain("deny"),
      soon,
    );
    expect((await home.run("rules", "promote", "no-rm")).err).toContain("already decides");
    expect(await home.run("policy", "diff")).toMatchObject({ code: 0 });
  });
});
