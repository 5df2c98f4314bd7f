import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CliHome, createHomeInProcess } from "../../../../../test/support/cli-home.js";

// Real processes of the built command line, several a test.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
let home: CliHome;
beforeEach(() => {
  home = createHomeInProcess();
});
afterEach(() => home.close());

const rule = (name: string, tool: string) =>
  `[[rule]]\nname = "${name}"\ntool = "${tool}"\nmatch = "tool.input.command contains unwanted"\ndo = "block"\nexamples = { catches = ["touch unwanted"], passes = ["ls"] }\n`;
const config = (...rules: readonly string[]) => home.write("config/hookline/hookline.toml", rules.join(""));
const captured = JSON.parse(readFileSync(new URL("../../agents/claude-code/fixtures/captured.json", import.meta.url), "utf8")) as {
  readonly PreToolUse: { readonly tool_name: string };
};

describe("the name of a tool", () => {
  it("guards what the agent calls, whatever its case, and what says so has sent what the agent sends", async () => {
    config(rule("no-shell", "bash"));
    await home.run("attach", "claude-code", "--strict");
    await home.run("up", "--detach", "--port", "0");
    const call = { ...captured.PreToolUse, tool_input: { command: "touch unwanted" } };
    expect(call.tool_name).toBe("Bash");
    const { hooks } = JSON.parse(readFileSync(join(home.folder, ".claude", "settings.json"), "utf8"));
    const { command } = hooks.PreToolUse[0].hooks[0];
    const { stdout } = spawnSync("/bin/sh", ["-c", command], { input: JSON.stringify(call), env: home.env, encoding: "utf8" });
    expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    expect(await home.run("selftest")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^✓ no-shell +touch unwanted +claude-code +denied/m),
      err: expect.stringContaining("Each canary was sent as the attached agent sends its calls: claude-code."),
    });
    expect((await home.run("rules", "list")).out).toMatch(/^no-shell .* active /m);
  });

  it("that no attached agent has is reported wherever rules are looked at, until a process has called it", async () => {
    config(rule("typo", "bsah"), rule("theirs", "deploy"));
    const alone = await home.run("rules", "test");
    expect(alone).toMatchObject({
      code: 0,
      err: expect.stringContaining("No agent is attached, so each example used the tool name in the rule."),
    });
    expect(await home.run("selftest")).toMatchObject({
      code: 0,
      err: expect.stringContaining("No agent is attached: each canary was sent as written"),
    });

    await home.run("attach", "claude-code");
    const note = 'No attached agent (Claude Code) has a tool "bsah". Did you mean "Bash"?';
    expect(await home.run("rules", "test")).toMatchObject({ code: 1, err: expect.stringContaining(`typo: ${note}\n`) });
    expect(await home.run("selftest")).toMatchObject({ code: 1, out: expect.stringMatching(/^✗ typo +- +- +no such tool/m) });

    await home.run("up", "--detach", "--port", "0");
    await home.run("emit", "tool:before", "--payload", JSON.stringify({ tool: { name: "Deploy", input: {} } }));
    const listed = await home.run("rules", "list");
    expect(listed.out).toMatch(/^typo .* no such tool /m);
    expect(listed.out).toMatch(/^theirs .* active /m);
    expect(listed.err).toContain(`! typo: ${note} The hub has seen no call of such a tool either.`);
    const rows = JSON.parse((await home.run("rules", "list", "--json")).out) as { name: string }[];
    expect(rows.find(({ name }) => name === "typo")).toMatchObject({ state: "no such tool", note: expect.any(String) });
    expect(rows.filter(({ name }) => name.startsWith("self-protection/"))).not.toEqual([]);
    const { guards } = JSON.parse((await home.run("selftest", "--json")).out) as { guards: { name: string; state: string }[] };
    const own = guards.filter(({ name }) => !name.startsWith("self-protection/"));
    expect(own.map(({ name, state }) => [name, state])).toEqual([
      ["typo", "no such tool"],
      ["theirs", "denied"],
    ]);
    const { out: doctor } = await home.run("doctor");
    expect(doctor).toContain(`rule "typo": ${note}`);
    expect(doctor).not.toContain('rule "theirs"');
  });
});
