import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askAttached } from "../../../../../test/support/attached-agent.ts";
import { createCliHome } from "../../../../../test/support/cli-home.ts";
import { denyingProgram, extensionJson, putFiles } from "../../../../../test/support/hook-files.ts";

// A real hub and the real clients, all with the switches of embedded buses in their environment.
const off = { HOOKLINE: "0", HOOKLINE_FORWARD: "0" };
const home = createCliHome();
const hooks = [{ event: "tool:before", match: "tool.input.command == 'process'" }];
const toml = `
[[rule]]
name = "by-rule"
event = "tool:before"
match = "tool.input.command == 'rule'"
do = "block"
message = "by the rule"
[[hook]]
name = "by-command"
event = "tool:before"
match = "tool.input.command == 'command'"
command = "sh"
args = ["-c", "echo by the command, [$HOOKLINE] >&2; exit 2"]
`;

beforeAll(async () => {
  const config = home.write("config/hookline/hookline.toml", toml);
  putFiles(join(home.folder, "config/hookline"), {
    "hooks/p/extension.json": extensionJson("p", { hooks }),
    "hooks/p/main.mjs": denyingProgram("by the process"),
  });
  expect(await home.runWith({ env: off }, "up", "--detach", "--port", "0", "--config", config)).toMatchObject({ code: 0 });
});
afterAll(() => home.close());

const ask = (isStrict: boolean, command: string) => askAttached(home, { isStrict, command, env: off });

describe.each([true, false])("HOOKLINE=0 and HOOKLINE_FORWARD=0 around an attached agent, strict: %s", (isStrict) => {
  it.each([
    ["rule", "by the rule"],
    ["command", "by the command, []"],
    ["process", "by the process"],
  ])("change nothing about a %s of the hub", async (command, reason) => {
    const said = await ask(isStrict, command);
    expect(`${said.stdout}${said.stderr}`).toContain(reason);
    expect(said.exitCode === 2 || said.stdout.includes('"deny"')).toBe(true);
    expect(await ask(isStrict, "ls")).toMatchObject({ stdout: "", stderr: "", exitCode: 0 });
  });
});

describe("the command line under HOOKLINE=0", () => {
  it("sends events, tests hooks and rules, and sees what the environment does", async () => {
    const call = JSON.stringify({ tool: { name: "Bash", input: { command: "rule" } } });
    expect(await home.runWith({ env: off }, "emit", "tool:after", "--payload", call)).toMatchObject({ code: 0 });
    expect(await home.runWith({ env: off }, "emit", "tool:before", "--decide", "--payload", call)).toMatchObject({ code: 3 });
    const doctor = await home.runWith({ env: off }, "doctor");
    expect(doctor.out).toContain("HOOKLINE switches it off in agents with their own bus");
    expect((await home.runWith({ env: off }, "selftest")).out).not.toContain("lets it through");
  });
});
