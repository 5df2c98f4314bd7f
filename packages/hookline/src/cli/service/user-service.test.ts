import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCliHome } from "../../../../../test/support/cli-home.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { userService } from "./user-service.js";

const hostile = { HOME: "/home/a b", PATH: '/opt/100% "x"/$bin:/usr/bin', XDG_STATE_HOME: "/s\\t" };

describe("the service of a user", () => {
  it("is a unit that systemd reads, whatever the variables hold", ({ skip }) => {
    const text = userService({ env: hostile, platform: "linux" })?.file?.text ?? "";
    expect(text).toContain('Environment="PATH=/opt/100%% \\"x\\"/$bin:/usr/bin"');
    expect(text).toContain('Environment="XDG_STATE_HOME=/s\\\\t"');
    const folder = testFolder();
    const path = join(folder, "hookline.service");
    writeFileSync(path, text);
    const { status, stderr, error } = spawnSync("systemd-analyze", ["--user", "verify", path], {
      encoding: "utf8",
      env: { ...process.env, XDG_RUNTIME_DIR: folder },
    });
    if (error !== undefined) return skip("systemd-analyze is not installed");
    expect([status, stderr.includes(path)]).toEqual([0, false]);
  });

  it("is a property list on macOS and a task on Windows, both marked as not tried", () => {
    const mac = userService({ env: { HOME: "/Users/a&b", PATH: "/usr/bin" }, platform: "darwin" });
    expect(mac?.file?.path).toBe("/Users/a&b/Library/LaunchAgents/dev.hookline.hub.plist");
    expect(mac?.file?.text).toContain("<string>/Users/a&#38;b/Library/Logs/hookline.log</string>");
    expect(userService({ env: {}, platform: "win32" })?.start[0]?.slice(0, 2)).toEqual(["schtasks", "/Create"]);
    expect([mac?.isTried, userService({ env: {}, platform: "win32" })?.isTried]).toEqual([false, false]);
    expect(userService({ env: {}, platform: "aix" })).toBeUndefined();
  });
});

describe.skipIf(process.platform !== "linux")("hookline service", () => {
  it("writes the unit, has systemd start it, and removes both again", async () => {
    const home = createCliHome();
    onTestFinished(() => home.close());
    const unit = join(home.folder, "config", "systemd", "user", "hookline.service");
    const calls = standInFor(home.folder);
    const env = { PATH: `${join(home.folder, "bin")}:${home.env.PATH}` };
    const none = await home.runWith({ env }, "service", "status");
    expect([none.code, none.err]).toEqual([4, expect.stringContaining("hookline service install")]);
    const logs = await home.runWith({ env }, "service", "logs");
    expect([logs.code, logs.err]).toEqual([4, expect.stringContaining("The hub is not installed as a service")]);
    expect((await home.runWith({ env }, "service", "install", "--dry-run")).out).toContain(`write  ${unit}`);
    expect(existsSync(unit)).toBe(false);
    expect((await home.runWith({ env }, "service", "install")).code).toBe(0);
    expect(statSync(unit).mode & 0o777).toBe(0o600);
    expect((await home.runWith({ env }, "service", "status")).out).toMatch(/service +active/);
    expect((await home.runWith({ env }, "service", "uninstall")).code).toBe(0);
    expect(existsSync(unit)).toBe(false);
    expect(calls().filter((call) => !call.includes("is-active"))).toEqual([
      "--user daemon-reload",
      "--user enable hookline.service",
      "--user restart hookline.service",
      "--user disable --now hookline.service",
    ]);
  });

  it("says what failed, and the way on, where systemd does not run", async () => {
    const home = createCliHome();
    onTestFinished(() => home.close());
    standInFor(home.folder, "echo no bus >&2; exit 1");
    const env = { PATH: `${join(home.folder, "bin")}:${home.env.PATH}` };
    const { code, err } = await home.runWith({ env }, "service", "install");
    expect([code, err]).toEqual([1, expect.stringContaining("no bus")]);
    expect(err).toContain("hookline up --detach");
    const unit = join(home.folder, "config", "systemd", "user", "hookline.service");
    expect(existsSync(unit)).toBe(true);
    const status = await home.runWith({ env }, "service", "status");
    expect([status.code, status.err]).toEqual([
      4,
      expect.stringMatching(/systemd does not run here \(.*no bus\)\. .*hookline up --detach/),
    ]);
    const removed = await home.runWith({ env }, "service", "uninstall");
    expect([removed.code, removed.err]).toEqual([0, expect.stringMatching(/no bus\. The service is not active\.\nThe service is removed/)]);
    expect(existsSync(unit)).toBe(false);
  });

  it("keeps the unit of a service that cannot be stopped", async () => {
    const home = createCliHome();
    onTestFinished(() => home.close());
    standInFor(home.folder, 'case "$*" in *disable*) echo not now >&2; exit 1;; esac');
    const env = { PATH: `${join(home.folder, "bin")}:${home.env.PATH}` };
    await home.runWith({ env }, "service", "install");
    const { code, err } = await home.runWith({ env }, "service", "uninstall");
    expect([code, err]).toEqual([1, expect.stringContaining("not now")]);
    expect(existsSync(join(home.folder, "config", "systemd", "user", "hookline.service"))).toBe(true);
  });
});

/** A program in place of systemctl that notes what it was asked. A test cannot rely on systemd itself. */
function standInFor(folder: string, body = "exit 0"): () => string[] {
  const bin = join(folder, "bin");
  const log = join(folder, "calls");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "systemctl"), `#!/bin/sh\necho "$@" >> '${log}'\n${body}\n`);
  chmodSync(join(bin, "systemctl"), 0o755);
  return () => readFileSync(log, "utf8").trim().split("\n");
}
