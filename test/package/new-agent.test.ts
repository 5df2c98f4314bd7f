import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createCliHome } from "../support/cli-home.js";
import { removeFolder } from "../support/remove-folder.js";
import { builtFile, folderOf } from "./built.js";
import { readSourceTree, repository } from "./source-tree.js";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

/** Copies the built product, with one more agent: its folder, and its line in the list. Nothing else is changed. */
function addHeron(product: string): void {
  cpSync(join(folderOf("hookline"), "package.json"), join(product, "package.json"));
  const built = join(builtFile("hookline", "dist/cli/main.js"), "..", "..");
  // The bundle is made from these files, with the list as it was.
  cpSync(built, join(product, "dist"), { recursive: true, filter: (path) => path !== join(built, "bundle") });
  symlinkSync(join(repository, "node_modules"), join(product, "node_modules"));
  const source = readFileSync(join(repository, "test/package/new-agent/definition.ts"), "utf8");
  mkdirSync(join(product, "dist/agents/heron"));
  writeFileSync(
    join(product, "dist/agents/heron/definition.js"),
    stripTypeScriptTypes(source).replaceAll("../../../packages/hookline/src/agents/", "../").replace(/\.ts"/g, '.js"'),
  );
  const list = join(product, "dist/agents/agents.js");
  const before = readFileSync(list, "utf8");
  const after = before.replace(/(export const agents = \[[^\]]*?),?\s*\]/, '$1, (await import("./heron/definition.js")).heron]');
  expect(after).not.toBe(before);
  writeFileSync(list, after);
}

describe("an agent that is one folder and one line of the list", () => {
  const product = mkdtempSync(join(tmpdir(), "hl-product-"));
  const home = createCliHome(join(product, "dist/cli/main.js"));
  const settings = () => join(home.folder, ".heron/hooks.json");

  beforeAll(async () => {
    addHeron(product);
    home.write(
      "config/hookline/hookline.toml",
      '[[rule]]\nname = "no-rm"\ntool = "bash"\nmatch = "tool.input.command contains \'rm -rf\'"\ndo = "block"\nmessage = "not here"\n',
    );
    expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await home.close();
    removeFolder(product);
  });

  /** Runs the command in its settings, as the agent would. `timeout` stands for the agent: what the agent starts cannot operate. */
  function fire(event: string, command: string) {
    const { hooks } = JSON.parse(readFileSync(settings(), "utf8")) as { hooks: { [event: string]: { run: string; ms: number }[] } };
    const input = JSON.stringify({ conversation: "c1", dir: "/srv", call: { name: "terminal", args: { command } } });
    const env = { ...home.env, HOOK: hooks[event]?.[0]?.run ?? "" };
    return spawnSync("timeout", ["--foreground", "600", "sh", "-c", 'eval "$HOOK"'], { input, encoding: "utf8", env });
  }

  it("is listed, with what it can do", async () => {
    expect((await home.run("attach", "--help")).out).toMatch(/or\s+heron/);
    const rows = JSON.parse((await home.run("agents", "heron", "--capabilities", "--json")).out) as object[];
    expect(rows).toMatchObject([
      { agent: "heron", native: "before_tool", event: "tool:before", can: ["block"] },
      { agent: "heron", native: "after_tool", event: "tool:after", can: [] },
    ]);
    expect((await home.run("agents", "herno")).err).toContain('Did you mean "heron"?');
  });

  it("is attached, checked, guarded and recorded, and detached", async () => {
    expect((await home.run("attach", "heron", "--dry-run")).out).toContain("+++");
    expect(existsSync(settings())).toBe(false);
    expect((await home.run("attach", "heron", "--project")).err).toContain("Heron does not support hooks for one project");

    expect(await home.run("attach", "heron")).toMatchObject({ code: 0, err: expect.stringContaining("Heron wants a restart.") });
    expect(readFileSync(settings(), "utf8")).toContain('"ms": 600000');
    expect(await home.run("attach", "heron", "--check")).toMatchObject({ code: 0, out: expect.stringContaining("canary was denied") });

    expect(JSON.parse(fire("before_tool", "rm -rf /").stdout)).toEqual({
      verdict: "deny",
      why: expect.stringContaining("(rule no-rm): not here."),
    });
    expect(fire("before_tool", "ls")).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(fire("after_tool", "ls")).toMatchObject({ status: 0, stdout: "" });
    const { url } = JSON.parse(readFileSync(join(home.state, "hub.json"), "utf8")) as { url: string };
    const { token } = JSON.parse(readFileSync(join(home.state, "operator.json"), "utf8")) as { token: string };
    await vi.waitFor(async () => {
      const answer = await fetch(`${url}/api/events?source=heron`, { headers: { authorization: `Bearer ${token}` } });
      const { events } = (await answer.json()) as { events: { event: string; session: { id: string }; decision?: { verdict: string } }[] };
      expect(events.map(({ event, decision }) => [event, decision?.verdict]).sort()).toEqual([
        ["tool:after", undefined],
        ["tool:after", undefined],
        ["tool:before", "deny"],
        ["tool:before", "pass"],
      ]);
      expect(new Set(events.map(({ session }) => session.id))).toEqual(new Set(["c1"]));
    }, 10_000);

    const [row] = JSON.parse((await home.run("agents", "heron", "--json")).out) as object[];
    expect(row).toMatchObject({ agent: "heron", attached: [{ scope: "user", state: "as written" }], lastEventAt: expect.any(Number) });
    expect((await home.run("selftest", "--json")).out).toContain('"heron"');
    expect((await home.run("run", "--strict", "--", "heron")).code).not.toBe(0);

    expect(await home.run("detach", "heron")).toMatchObject({ code: 0, err: expect.stringContaining("Heron is detached") });
    expect(existsSync(join(home.folder, ".heron"))).toBe(false);
  });
});

describe("the sources", () => {
  /**
   * Hook dialects and imports of hooks have names of their own, which some share with an agent; the dashboard shows a command as an example.
   * What a command does with the program or the files of an agent is known for agents that cannot be attached, too.
   */
  const allowed = [
    "packages/hookline/src/commands/path-sets.ts",
    "packages/hookline/src/commands/programs/",
    "packages/hookline/src/config/config.ts",
    "packages/hookline/src/extensions/command/dialects/",
    "packages/hookline/src/extensions/command/import/claude-settings.ts",
    "packages/hookline/src/cli/hooks/import-hooks.ts",
    "packages/hookline/src/cli/commands/hooks.ts",
    // Models have the names of agents.
    "packages/hookline/src/hub/usage/price",
    "packages/ui/src/views/",
  ];

  it("name an agent in its own folder and in the list only", async () => {
    const { agents } = await import("../../packages/hookline/src/agents/agents.js");
    const words = agents.flatMap(({ id, title, program }) => [id, title, title.replace(/ CLI$/, ""), ...program.commands]);
    // A cursor is also a place in a text or a list, and Hermes a dialect of hooks.
    const common = ["cursor", "Cursor", "hermes", "Hermes"];
    const named = new RegExp(`\\b(${[...new Set(words)].filter((word) => !common.includes(word)).join("|")})\\b`, "i");
    const own = agents.map(({ id }) => `packages/hookline/src/agents/${id}/`);
    const naming = [...readSourceTree()]
      .filter(([path, text]) =>
        path.startsWith("packages/hookline/src/") || path.startsWith("packages/ui/src/") ? named.test(withoutComments(text)) : false,
      )
      .map(([path]) => path)
      .filter((path) => ![...own, ...allowed].some((start) => path.startsWith(start)));
    expect(naming).toEqual(["packages/hookline/src/agents/agents.ts"]);
  });

  function withoutComments(text: string): string {
    return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  }
});
