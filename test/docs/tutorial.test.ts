import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliHome, createCliHome } from "../support/cli-home.ts";
import { read } from "./repository.ts";

const page = read("docs/tutorial.md");

/** What a reader types, with the Node of the repository in front, as step 1 sets it up. */
describe.skipIf(process.platform === "win32")("the tutorial", () => {
  let home: CliHome;
  beforeAll(async () => {
    home = createCliHome();
    for (const args of [
      ["up", "--detach", "--port", "0"],
      ["rules", "add", "recommended"],
    ])
      expect(await home.run(...args)).toMatchObject({ code: 0 });
  });
  afterAll(() => home.close(), 60_000);

  const type = (script: string) => {
    const env = { ...home.env, PATH: `${dirname(process.execPath)}:${home.env.PATH}` };
    return spawnSync("sh", ["-c", script], { env, cwd: home.folder, encoding: "utf8" });
  };

  it("shows the number of rules and examples that there are, and the words of the rule", async () => {
    const { err } = await home.run("rules", "test");
    expect(page).toContain(/^\d+ rules, [\d,]+ examples: \d+ right, 0 wrong\./m.exec(err)?.[0] ?? err);
    const [, payload = ""] = /--decide --payload '(.*)'$/m.exec(page) ?? [];
    const { out } = await home.run("emit", "tool:before", "--decide", "--payload", payload);
    expect(out).toMatch(/^deny/);
    expect(page).toContain(out.trim());
  });

  it("runs the hook of the attached agent, asks a person, and lets the same shell answer", async () => {
    expect(await home.run("attach", "claude-code", "--strict")).toMatchObject({ code: 0 });
    const [, ask = ""] = /^```sh\n(hook=[\s\S]*?\n)ask 'rm -rf ~'\n```$/m.exec(page) ?? [];
    expect(ask).not.toBe("");
    expect(type(`${ask}ask 'rm -rf ~'`)).toMatchObject({ status: 2, stdout: expect.stringContaining('"permissionDecision":"deny"') });
    expect(type(`${ask}ask ls`)).toMatchObject({ status: 0, stdout: "" });
    const approved = type(
      `${ask}ask 'git push --force' >answer &
id=
while [ -z "$id" ]; do id=$(hookline approvals 2>/dev/null | sed -n 's/^waits *\\([^,]*\\),.*/\\1/p'); done
hookline approve "$id" --reason "my branch"; wait; cat answer`,
    );
    expect(approved.stdout, approved.stderr).toContain('"permissionDecision":"allow"');
    expect(await home.run("tail", "--no-follow", "--decision", "deny")).toMatchObject({ out: expect.stringContaining("rm -rf ~") });
    const [, line = ""] = /^(\d+ guards: .*)$/m.exec(page) ?? [];
    expect((await home.run("selftest")).err).toContain(line);
  });
});
