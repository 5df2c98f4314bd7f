import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createCliHome } from "../../../../../test/support/cli-home.ts";

it("detaches agents before it stops the hub, and removes what it said", { timeout: 300_000 }, async () => {
  const home = createCliHome();
  onTestFinished(() => home.close());
  const before = '{\n  "model": "opus"\n}\n';
  const settings = home.write(".claude/settings.json", before);
  expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
  expect(await home.run("attach", "claude-code")).toMatchObject({ code: 0 });
  expect(readFileSync(settings, "utf8")).not.toBe(before);

  const plan = await home.run("uninstall", "--dry-run");
  expect(plan.out.trim().split("\n")).toEqual([
    `detach claude-code from ${settings}`,
    "stop the hub",
    `remove ${home.state}`,
    `remove ${join(home.folder, "config", "hookline")}`,
  ]);
  const mcp = home.write(
    "state/hookline/attach/mcp-clients.json",
    JSON.stringify({ version: 1, files: [{ path: "/home/me/.claude.json" }] }),
  );
  expect(await home.run("uninstall", "--yes")).toMatchObject({ code: 1, err: expect.stringContaining("/home/me/.claude.json") });
  expect([(await home.run("status")).code, readFileSync(settings, "utf8") === before]).toEqual([0, false]);
  rmSync(mcp);
  expect(await home.run("uninstall")).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
  expect((await home.run("status")).code).toBe(0);

  expect(await home.run("uninstall", "--keep-data", "--yes")).toMatchObject({ code: 0 });
  expect(readFileSync(settings, "utf8")).toBe(before);
  expect([(await home.run("status")).code, existsSync(join(home.state, "events.db"))]).toEqual([4, true]);

  expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
  expect(await home.run("uninstall", "--yes")).toMatchObject({ code: 0, err: expect.not.stringContaining("are kept") });
  expect([existsSync(home.state), existsSync(join(home.folder, "config", "hookline"))]).toEqual([false, false]);
  expect(await home.run("uninstall")).toMatchObject({ code: 0, err: expect.stringContaining("nothing of Hookline") });
});
