import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type CliHome, createCliHome } from "../../../../../test/support/cli-home.ts";
import { startOnTerminal } from "../../../../../test/support/on-terminal.ts";
import { recommended, starterRules } from "../../rules/starter/starter-rules.js";

let home: CliHome;
let env: NodeJS.ProcessEnv;

/** A machine with two agents, and nothing else of ours. */
beforeEach(() => {
  home = createCliHome();
  onTestFinished(() => home.close());
  for (const name of ["claude", "codex"]) chmodSync(home.write(`bin/${name}`, "#!/bin/sh\n"), 0o755);
  home.write(".claude/settings.json", '{ "model": "opus" }\n');
  mkdirSync(join(home.folder, "tmp"));
  env = { PATH: [join(home.folder, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(":"), TMPDIR: join(home.folder, "tmp") };
});

/** Every file and folder in the home folder, with its content and the time of its last change. */
function files(): readonly string[] {
  return readdirSync(home.folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${relative(home.folder, path)} ${statSync(path).mtimeMs} ${entry.isFile() ? readFileSync(path, "utf8") : ""}`;
    })
    .sort();
}

describe("the first run", () => {
  it.each([
    ["Ctrl-C", "\x03"],
    ["the end of the input", "\x04"],
    ["n", "n"],
    ["Enter", "\r"],
    ["a word that begins with y", "yikes"],
  ])("shows what it would do, and changes no file after %s", async (_, keys) => {
    const before = files();
    const person = startOnTerminal(home, [], env);
    await person.shows("Claude Code");
    await person.shows(".claude/settings.json");
    await person.shows("Press y for yes");
    person.press(keys);
    expect(await person.ended).toBe(0);
    expect(person.out).toContain("Nothing was changed.");
    expect(files()).toEqual(before);
  });

  it("takes nothing for a yes that was typed before the question", async () => {
    const before = files();
    const person = startOnTerminal(home, [], env);
    person.press("y");
    await person.shows("Press y for yes");
    person.press("n");
    expect(await person.ended).toBe(0);
    expect(files()).toEqual(before);
  });

  it("changes no file and asks nothing without a terminal, and says how", async () => {
    const before = files();
    for (const input of ["", "y\n"]) {
      const { code, out, err } = await home.runWith({ env, input });
      expect(code).toBe(0);
      expect(out).toContain("Usage:");
      expect(err).toContain(" start --yes");
      expect((await home.runWith({ env, input }, "start")).err).toContain("Nothing was changed.");
    }
    expect(files()).toEqual(before);
  });

  it("attaches no agent if the hub does not start: strict agents could do nothing", async () => {
    home.write("config/hookline/hookline.toml", "[hub\n");
    const { code, err } = await home.runWith({ env }, "start", "--yes");
    expect(code).toBe(1);
    expect(err).toContain("No agent was attached, because the hub did not start");
    expect(readFileSync(join(home.folder, ".claude/settings.json"), "utf8")).toBe('{ "model": "opus" }\n');
    expect(files().some((file) => file.startsWith(".codex"))).toBe(false);
  });

  it("after a y, adds rules, starts the hub, attaches each agent with --strict and shows the audit; later it is help", async () => {
    const person = startOnTerminal(home, [], env);
    await person.shows("Press y for yes");
    person.press("y");
    await person.shows("The last 30 days");
    expect(await person.ended).toBe(0);
    const { out } = await home.runWith({ env }, "agents", "--json");
    const rows = (JSON.parse(out) as { agent: string; attached: { isStrict: boolean; state: string }[] }[]).filter(
      ({ attached }) => attached.length > 0,
    );
    expect(rows.map(({ agent, attached }) => [agent, attached[0]?.isStrict, attached[0]?.state])).toEqual([
      ["claude-code", true, "as written"],
      ["codex", true, "as written"],
    ]);
    expect(JSON.parse(readFileSync(join(home.folder, ".claude", "settings.json"), "utf8"))).toMatchObject({ model: "opus" });
    const toml = readFileSync(join(home.folder, "config", "hookline", "hookline.toml"), "utf8");
    for (const set of starterRules) expect(toml).toContain(`name = "${set.name}/`);
    for (const rule of recommended.shadow) expect(toml).toContain(`name = "${rule}"\nmode = "shadow"\n`);
    expect(person.out).toMatch(/add the recommended rules[\s\S]+\bdatabases +4 rules: 4 ask\b/);
    expect((await home.runWith({ env }, "status")).code).toBe(0);
    const later = startOnTerminal(home, [], env);
    await later.shows("Usage:");
    expect(await later.ended).toBe(0);
    expect((await home.runWith({ env }, "start")).err).toContain("They are all attached.");
  });

  it("lets a hub in the background take the place of one that ends with its terminal", async () => {
    const hub = startOnTerminal(home, ["up", "--port", "0"], env);
    await hub.shows("Ctrl-C");
    const { err, code } = await home.runWith({ env }, "start", "--yes");
    expect([code, err]).toEqual([0, expect.stringMatching(/in place of the one that ends with its terminal \(process \d+\)/)]);
    expect(await hub.ended).toBe(0);
    expect(JSON.parse((await home.runWith({ env }, "status", "--json")).out)).toMatchObject({ isTied: false });
    expect((await home.runWith({ env }, "start")).err).toContain("They are all attached.");
  });

  it("makes a command for every folder, which uninstall removes, and leaves a foreign one alone", async () => {
    const launcher = join(home.folder, ".local", "bin", "hookline");
    expect((await home.runWith({ env }, "start", "--yes")).err).toContain(`Wrote ${launcher}`);
    const onPath = { ...env, PATH: `${dirname(launcher)}:${env.PATH}` };
    const run = spawnSync("hookline", ["status"], { cwd: "/", encoding: "utf8", env: { ...home.env, ...onPath } });
    expect([run.status, run.stdout]).toEqual([0, expect.stringContaining("running")]);
    expect((await home.runWith({ env: onPath }, "show", "nothing")).err).toContain("Run: hookline tail --no-follow");
    expect((await home.runWith({ env }, "uninstall", "--dry-run")).out).toContain(`remove ${launcher}`);
    expect((await home.runWith({ env }, "uninstall", "--yes")).code).toBe(0);
    expect(existsSync(launcher)).toBe(false);
    home.write(".local/bin/hookline", "#!/bin/sh\n");
    expect((await home.runWith({ env }, "start", "--yes")).err).not.toContain(launcher);
    expect(readFileSync(launcher, "utf8")).toBe("#!/bin/sh\n");
  });

  it("needs no terminal with --yes", async () => {
    const { code, err } = await home.runWith({ env }, "--yes");
    expect(err).toContain("Claude Code is attached.");
    expect(code).toBe(0);
    expect(JSON.parse((await home.runWith({ env }, "alarms", "--json")).out)).toMatchObject({ alarms: [], waiting: 0 });
  });

  it("without an agent, asks nothing", async () => {
    const before = files();
    const { code, err } = await home.runWith({ env: { ...env, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` } }, "start", "--yes");
    expect(code).toBe(0);
    expect(err).toContain(" demo");
    expect(files()).toEqual(before);
  });
});
