import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { createCliHome } from "../../../../test/support/cli-home.js";
import { testFolder } from "../../../../test/support/test-folder.js";
import { findInvocation } from "../machine/invocation.js";
import { commandList } from "./command-list.js";
import { withInvocation } from "./invocation.js";

// Real processes of the built command line, a dozen a test.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });
const repository = fileURLToPath(new URL("../../../../", import.meta.url));
const program = fileURLToPath(new URL("../../bin/hookline.js", import.meta.url));
/** What npm puts in front of the PATH of what it starts. */
const byNpm = [join(repository, "node_modules/.bin"), "/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin"];
const path = (...folders: readonly string[]) => ({ PATH: folders.join(delimiter) });

describe("findInvocation", () => {
  it("is the plain name where the shell finds it", () => {
    const bin = testFolder();
    expect(findInvocation(path("/nowhere", bin), bin).here).toBe(program);
    writeFileSync(join(bin, "hookline"), "#!/bin/sh\n");
    // A file that is not a program is not found by a shell either.
    expect(findInvocation(path("/nowhere", bin), bin).here).toBe(program);
    chmodSync(join(bin, "hookline"), 0o755);
    expect(findInvocation(path("/nowhere", bin), bin)).toEqual({ here: "hookline", anywhere: "hookline" });
    expect(findInvocation(path(...byNpm, bin), bin).here).toBe("hookline");
  });

  it("is npx where only npm finds it, in this folder and those below", () => {
    const project = testFolder();
    const below = join(project, "src", "deep");
    mkdirSync(below, { recursive: true });
    mkdirSync(join(project, "node_modules", ".bin"), { recursive: true });
    symlinkSync(program, join(project, "node_modules", ".bin", "hookline"));
    for (const folder of [project, below])
      for (const env of [path("/nowhere"), path(...byNpm, "/nowhere"), {}])
        expect(findInvocation(env, folder)).toEqual({ here: "npx hookline", anywhere: program });
  });

  it("is its path where npx would ask the registry, or run another one", () => {
    const project = testFolder();
    expect(findInvocation(path(...byNpm), project)).toEqual({ here: program, anywhere: program });
    mkdirSync(join(project, "node_modules", ".bin"), { recursive: true });
    writeFileSync(join(project, "node_modules", ".bin", "hookline"), "#!/bin/sh\n", { mode: 0o755 });
    expect(findInvocation(path(...byNpm), project).here).toBe(program);
  });

  it("goes by the folder in which npm start was typed", () => {
    const elsewhere = testFolder();
    const root = repository.replace(/\/$/, "");
    const env = { ...path(...byNpm), INIT_CWD: elsewhere, npm_config_local_prefix: root };
    expect(findInvocation(env, root).here).toBe(program);
    expect(findInvocation({ ...env, INIT_CWD: join(root, "docs") }, root).here).toBe("npx hookline");
    // Left over from a command that was started by npm further up.
    expect(findInvocation({ ...env, INIT_CWD: root }, elsewhere).here).toBe(program);
  });
});

describe("withInvocation", () => {
  const typed = (text: string) => withInvocation(text, { here: "npx hookline", anywhere: "/opt/hookline.js" });

  it("writes every command as it can be typed", () => {
    for (const { name } of commandList) expect(typed(`Run: hookline ${name}`)).toBe(`Run: npx hookline ${name}`);
    expect(typed("hookline down; hookline up --detach")).toBe("npx hookline down; npx hookline up --detach");
    expect(typed("Usage: hookline [options]\n  $ hookline --help")).toBe("Usage: npx hookline [options]\n  $ npx hookline --help");
    expect(typed('"hookline run" and `hookline agents`')).toBe('"npx hookline run" and `npx hookline agents`');
  });

  it("calls it by its path where the folder is another", () => {
    expect(typed("cd '/a b' && hookline attach codex --project")).toBe("cd '/a b' && /opt/hookline.js attach codex --project");
    expect(typed("cd '/it'\\''s' && hookline attach codex")).toBe("cd '/it'\\''s' && /opt/hookline.js attach codex");
  });

  it.each([
    "hookline: The hub is not running.",
    "hookline.toml is not there",
    "~/.local/state/hookline up",
    "npx hookline up",
    "my-hookline up",
    "the state of hookline",
  ])("leaves %j alone", (text) => expect(typed(text)).toBe(text));
});

describe("what a command says to type next", () => {
  it("is npx in the repository, when it was called so", async () => {
    const home = createCliHome();
    try {
      const { PATH: _, ...env } = home.env;
      const run = spawnSync("npx", ["--offline", "hookline", "status"], {
        cwd: repository,
        env: { ...env, PATH: process.env.PATH },
        encoding: "utf8",
      });
      expect(run).toMatchObject({ status: 4, stderr: expect.stringContaining("Run: npx hookline up --detach\n") });
      const coloured = spawnSync("npx", ["--offline", "hookline", "rules", "explian"], {
        cwd: repository,
        env: { ...env, PATH: process.env.PATH, FORCE_COLOR: "1" },
        encoding: "utf8",
      });
      expect(coloured.stderr).toContain('There is no command "rules explian"');
      expect(coloured.stderr).toContain("Run: \u001b[1mnpx hookline rules --help\u001b[22m\n");
    } finally {
      await home.close();
    }
  });

  it("is never a name that the shell does not know", async () => {
    const home = createCliHome();
    try {
      const env = { PATH: "/usr/bin:/bin" };
      const said: string[] = [];
      for (const argv of [
        ["--help"],
        ["status"],
        ["tial"],
        ["init"],
        ["rules", "add", "git-history"],
        ["hooks", "new", "mine", "--language", "sh"],
        ["hooks", "list"],
        ["hooks", "test", "mine", "--event", "session:end"],
        ["agents"],
        ["doctor"],
        ["doctor", "--json"],
        ["demo", "--fast"],
        ["selftest"],
      ]) {
        const { out, err } = await home.runWith({ env }, ...argv);
        said.push(out, err);
      }
      expect(
        said
          .join("\n")
          .match(/.*(?<![\w./-])hookline (?:\w|--).*/g)
          ?.filter((line) => commandList.some(({ name }) => line.includes(`hookline ${name}`))),
      ).toBeUndefined();
      // And it can be run as it stands there.
      const [, next = ""] = /^Run: (.*)$/m.exec(said.join("\n")) ?? [];
      expect(next).toBe(`${program} up --detach`);
      const status = spawnSync(next.replace(/up --detach$/, "--version"), {
        shell: true,
        env: home.env,
        cwd: home.folder,
        encoding: "utf8",
      });
      expect(status).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d/) });
    } finally {
      await home.close();
    }
  });
});
