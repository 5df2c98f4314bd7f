import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CliHome, createHomeInProcess } from "../../../../../test/support/cli-home.js";
import { runAsShown } from "../../../../../test/support/run-as-shown.js";

// The built command line in this process, and a real hub.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });
let home: CliHome;
beforeEach(() => {
  home = createHomeInProcess();
});
afterEach(() => home.close());

const CONFIG = "config/hookline/hookline.toml";
const asks = async (command: string) => {
  const payload = JSON.stringify({ tool: { name: "Bash", input: { command } } });
  const { code, out } = await home.run("emit", "tool:before", "--decide", "--payload", payload);
  return `${code} ${out.trim()}`;
};
const until = (command: string, answer: string) => vi.waitFor(async () => expect(await asks(command)).toBe(answer), 30_000);

describe("a hook of another agent", () => {
  it("is imported, guards every agent, and is switched off and on while the hub runs", async () => {
    chmodSync(home.write("project/deny.sh", '#!/bin/sh\ngrep -q rm && { echo "no rm here" >&2; exit 2; }\nexit 0\n'), 0o755);
    const settings = { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./deny.sh" }] }] } };
    const file = home.write("project/.claude/settings.json", JSON.stringify(settings));
    const { out } = await home.run("hooks", "import", "claude-settings", file);
    const rules =
      '[[rule]]\nname = "kind"\ntool = "Read"\ndo = "inject"\nmessage = "Be kind."\n[[rule]]\nname = "off"\nenabled = false\ndo = "block"\n';
    home.write(CONFIG, `# mine\n${rules}${out}`);
    await home.run("up", "--detach");
    expect((await home.run("status")).out).toMatch(/^rules +1 active, 1 disabled\nhooks +1 active$/m);
    const read = '{"tool":{"name":"Read","input":{"path":"a"}}}';
    expect(await home.run("emit", "tool:before", "--decide", "--payload", read)).toMatchObject({
      code: 0,
      out: "pass\ninject  Be kind.\n",
    });
    const [row] = JSON.parse((await home.run("hooks", "list", "--json")).out) as { name: string; state: string; kind: string }[];
    expect(row).toMatchObject({ state: "active", kind: "command" });
    const name = String(row?.name);
    expect(await asks("rm -rf /")).toBe(`3 deny  ${name}  no rm here`);
    expect(await asks("ls")).toBe("0 pass");
    expect(await home.run("hooks", "disable", name)).toMatchObject({ code: 0, err: expect.stringContaining("disabled") });
    await until("rm -rf /", "0 pass");
    expect(JSON.parse((await home.run("hooks", "list", "--json")).out)).toMatchObject([{ name, state: "disabled" }]);
    await home.run("hooks", "enable", name);
    await until("rm -rf /", `3 deny  ${name}  no rm here`);
  });
});

describe("a hook in JavaScript", () => {
  it("that throws outside a call ends its own process, and no other guard's", async () => {
    const stray =
      'export const handle = () => void (Promise.reject(new Error("stray")), process.nextTick(() => { throw new Error("late"); }));';
    home.write("config/hookline/stray.mjs", `${stray}\n`);
    home.write(
      CONFIG,
      '[[hook]]\nmodule = "stray.mjs"\nevent = "tool:before"\n[[rule]]\nname = "no-rm"\nmatch = "tool.input.command contains rm"\ndo = "block"\n',
    );
    await home.run("up", "--detach");
    expect(await asks("ls")).toMatch(/^3 deny {2}stray .*ended with exit code/);
    expect(await asks("rm -rf /")).toMatch(/^3 deny {2}no-rm/);
  });
});

describe("hookline up in a project with hooks without consent", () => {
  it("fails without a terminal, unless it is told to start without them", async () => {
    home.write(".hookline/hooks/guard/HOOK.yaml", "events: [tool:before]\npermissions: [tools.intercept]\n");
    home.write(".hookline/hooks/guard/handler.js", 'export const handle = () => ({ block: "from the project" });\n');
    expect(await home.run("up", "--detach")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/"guard" \(untrusted\)(.|\n)*hookline hooks trust(.|\n)*--skip-untrusted/),
    });
    expect(await home.run("status")).toMatchObject({ code: 4 });
    expect(await home.run("up", "--detach", "--skip-untrusted")).toMatchObject({
      code: 0,
      err: expect.stringContaining("guard (untrusted)"),
    });
    expect(await asks("ls")).toBe("0 pass");
    await runAsShown(home, "hooks", "trust", "guard");
    await until("ls", `3 deny  ${join(home.folder).split("/").at(-1)}/guard  from the project`);
    expect(await home.run("up", "--detach")).toMatchObject({ code: 0 });
  });
});
