import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { testFolder } from "../support/test-folder.js";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const SCRIPT = "scripts/build-aloud.js";

/** The script in a package with a build of its own. */
function build(command: string, { isInstalled = true } = {}) {
  const folder = testFolder();
  mkdirSync(join(folder, "scripts"));
  if (isInstalled) mkdirSync(join(folder, "node_modules"));
  copyFileSync(join(repository, SCRIPT), join(folder, SCRIPT));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", scripts: { build: command } }));
  return spawnSync(process.execPath, [SCRIPT], { cwd: folder, encoding: "utf8" });
}

describe("npm start", () => {
  it("builds aloud before it starts the hub", () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { scripts: { [name: string]: string } };
    expect(scripts.start).toBe(`node ${SCRIPT} && hookline up --demo`);
  });

  it("says that it builds, how long that takes, and every step", () => {
    const { status, stdout } = build("echo one && echo two");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Building Hookline\. .*second.*\n {2}1 of 2: echo one\none\n {2}2 of 2: echo two\ntwo\n/);
  });

  it("ends with a build that fails, and shows what it said", () => {
    const { status, stdout, stderr } = build("echo oops && exit 3 && echo never");
    expect([status, stdout]).toEqual([1, expect.not.stringContaining("never")]);
    expect(stdout).toContain("oops");
    expect(stderr).toContain('"exit 3" ended with 3');
  });

  it("says what is missing before it tries", () => {
    expect(build("echo one", { isInstalled: false })).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining("Run: npm ci"),
    });
  });
});

describe("npm ci", () => {
  it("does not warn of every package that needs a later Node than the one that installs", () => {
    const folder = testFolder();
    const write = (path: string, manifest: object): void =>
      writeFileSync(join(folder, path), JSON.stringify({ version: "1.0.0", ...manifest }));
    copyFileSync(join(repository, ".npmrc"), join(folder, ".npmrc"));
    mkdirSync(join(folder, "later"));
    write("package.json", { name: "all", workspaces: ["later"] });
    write("later/package.json", { name: "later", engines: { node: ">=99" } });
    // Without the settings of the npm that runs the tests.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name)));
    const { status, stdout, stderr } = spawnSync("npm", ["install", "--offline"], {
      cwd: folder,
      env: { ...env, HOME: folder },
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("added");
  });
});
