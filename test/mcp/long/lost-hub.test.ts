import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { McpHome, textOf, until } from "../mcp-home.ts";

const RULES = `
[[rule]]
name = "ask-first"
tool = "mcp__files__write_file"
do = "ask"

[[rule]]
name = "hide"
do = "replace"
find = "secret"
with = "[hidden]"
`;

const homes: McpHome[] = [];
afterEach(() => Promise.all(homes.splice(0).map((home) => home.close())));

async function started(): Promise<McpHome> {
  const home = new McpHome();
  homes.push(home);
  await home.up(RULES);
  return home;
}

function killHub(home: McpHome): void {
  const { pid } = JSON.parse(readFileSync(join(home.cli.state, "hub.json"), "utf8")) as { readonly pid: number };
  process.kill(pid, "SIGKILL");
}

describe("a hub that is killed", () => {
  it("during a question leaves the call denied", async () => {
    const home = await started();
    const client = await home.wrapped();
    const called = client.callTool({ name: "write_file", arguments: { path: "a", text: "b" } });
    await until(async () => (await home.json<readonly unknown[]>("approvals")).length > 0);
    killHub(home);
    const answer = await called;
    expect(answer.isError).toBe(true);
    expect(textOf(answer)).toContain("Hookline denied this call");
    expect(existsSync(join(home.files, "a"))).toBe(false);
  });

  it("during a call leaves its result withheld, and denies the next call; a new hub opens the gate again", async () => {
    const home = await started();
    const client = await home.wrapped();
    const called = client.callTool({ name: "when", arguments: { path: "later" } });
    await until(() => existsSync(join(home.files, "when-began")));
    killHub(home);
    writeFileSync(join(home.files, "later"), "a secret");
    const withheld = textOf(await called);
    expect(withheld).toMatch(/^\[withheld: .*hub/);
    expect(withheld).not.toContain("secret");
    const denied = await client.callTool({ name: "large", arguments: { bytes: 3 } });
    expect(textOf(denied)).toMatch(/Hookline denied this call: .*hub/);
    await home.up(RULES);
    await until(async () => textOf(await client.callTool({ name: "large", arguments: { bytes: 3 } })) === "xxx");
  });
});
