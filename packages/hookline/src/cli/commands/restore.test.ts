import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "hookline/internal";
import { describe, expect, it, onTestFinished } from "vitest";
import { type CliHome, createHomeInProcess } from "../../../../../test/support/cli-home.ts";
import { runAsShown } from "../../../../../test/support/run-as-shown.ts";

const CONFIG = "config/hookline";

async function homeWithStore(data?: string) {
  const home = createHomeInProcess();
  onTestFinished(() => home.close());
  const store = join(data ?? home.state, "events.db");
  home.write(`${CONFIG}/hookline.toml`, data === undefined ? "# mine\n" : `[hub]\ndata = "${data}"\n`);
  mkdirSync(home.state, { recursive: true, mode: 0o700 });
  await (await openStore(store)).close();
  return { ...home, store, config: join(home.folder, CONFIG), backup: join(home.folder, "backup") };
}

it("keeps the program of a hook one, and says what it did not back up", async () => {
  const home = await homeWithStore();
  const program = home.write(`${CONFIG}/hooks/mine/run.sh`, "#!/bin/sh\n");
  chmodSync(program, 0o755);
  symlinkSync(home.write("elsewhere.toml", "# elsewhere\n"), join(home.config, "linked.toml"));
  expect(await home.run("backup", home.backup)).toMatchObject({ code: 0, err: expect.stringContaining(join(home.config, "linked.toml")) });
  rmSync(program);
  expect(await runAsShown(home, "restore", home.backup)).toMatchObject({ code: 0 });
  const modes = [program, join(home.config, "hookline.toml")].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
});

it("puts everything back if one file cannot be restored", async () => {
  const home = await homeWithStore();
  const rules = home.write(`${CONFIG}/zz/more.toml`, "# more\n");
  expect(await home.run("backup", home.backup)).toMatchObject({ code: 0 });
  rmSync(join(home.config, "zz"), { recursive: true });
  // Where a folder must be is a file.
  writeFileSync(join(home.config, "zz"), "mine now");
  home.write(`${CONFIG}/hookline.toml`, "# newer\n");
  expect(await runAsShown(home, "restore", home.backup)).toMatchObject({ code: 1, err: expect.stringContaining("Nothing was restored") });
  expect(readFileSync(join(home.config, "hookline.toml"), "utf8")).toBe("# newer\n");
  expect([existsSync(rules), existsSync(home.store)]).toEqual([false, true]);
});

const OTHER_DISK = "/dev/shm";
const isOtherDisk = existsSync(OTHER_DISK) && statSync(OTHER_DISK).dev !== statSync(tmpdir()).dev;

it.runIf(isOtherDisk)("leaves no log of the former store beside the restored one, also on another disk", async () => {
  const data = mkdtempSync(join(OTHER_DISK, "hl-restore-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const home = await homeWithStore(data);
  expect(await home.run("backup", home.backup)).toMatchObject({ code: 0 });
  writeFileSync(`${home.store}-wal`, "the log of the former store");
  expect(await runAsShown(home, "restore", home.backup)).toMatchObject({ code: 0 });
  expect(readdirSync(data).filter((name) => name.startsWith("events.db"))).toEqual(["events.db"]);
});

it("writes through no link that leads nowhere", async () => {
  const home = await homeWithStore();
  expect(await home.run("backup", home.backup)).toMatchObject({ code: 0 });
  const rules = join(home.config, "hookline.toml");
  rmSync(rules);
  symlinkSync(join(home.folder, "not-there"), rules);
  expect(await runAsShown(home, "restore", home.backup)).toMatchObject({ code: 0 });
  expect([existsSync(join(home.folder, "not-there")), readFileSync(rules, "utf8")]).toEqual([false, "# mine\n"]);
});

it.each([
  { files: null },
  { files: {}, at: 1 },
  { files: { "config/..\\..\\x": "" } },
  { files: { "config/../git/config": "" } },
  { files: { "config/a/../../../x": "" } },
  { files: { "config//x": "" } },
  { files: { "state/backup.key": "" } },
  { files: { "state/trusted/x": "" } },
  { seal: 1 },
])("refuses a list of files that no backup has: %j", async (wrong) => {
  const home = await homeWithStore();
  const text = JSON.stringify({ v: 1, at: "2026-01-01", version: "0.1.0", schema: 1, keys: false, ...wrong });
  home.write("backup/backup.json", text);
  expect(await runAsShown(home, "restore", home.backup)).toMatchObject({
    code: 1,
    err: expect.stringContaining("is not what `hookline backup` writes"),
  });
});

it("reads nothing that a link in the backup leads to", async () => {
  const home = await homeWithStore();
  const file = home.write("elsewhere/more.toml", "# elsewhere\n");
  expect(await home.run("backup", home.backup)).toMatchObject({ code: 0 });
  symlinkSync(dirname(file), join(home.backup, "config/linked"));
  changeManifest(home.backup, ["config/linked/more.toml"]);
  const err = expect.stringContaining("config/linked/more.toml is missing");
  expect(await runAsShown(home, "restore", home.backup)).toMatchObject({ code: 1, err });
});

it("puts everything back if the store of another hub cannot be read", async () => {
  const home = await homeWithStore();
  expect(await home.run("backup", home.backup)).toMatchObject({ code: 0 });
  writeFileSync(join(home.backup, "events.db"), "no store");
  changeManifest(home.backup, []);
  const before = readFileSync(home.store);
  expect(await runAsShown(home, "restore", home.backup)).toMatchObject({ code: 1, err: expect.stringContaining("Nothing was restored") });
  expect(readFileSync(home.store).equals(before)).toBe(true);
});

/** As a program does that has the folder, and not the key. */
function changeManifest(backup: string, more: readonly string[]): void {
  const path = join(backup, "backup.json");
  const manifest = JSON.parse(readFileSync(path, "utf8")) as { files: Record<string, string> };
  const digest = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(backup, name)))
      .digest("hex");
  manifest.files = Object.fromEntries([...Object.keys(manifest.files), ...more].map((name) => [name, digest(name)]));
  writeFileSync(path, JSON.stringify(manifest));
}

describe("a backup that this hub did not make", () => {
  const rule = (name: string, action: string, more = "") =>
    `[[rule]]\nname = "${name}"\ntool = "Bash"\nmatch = "tool.input.command contains ${name}"\ndo = "${action}"\n${more}`;
  const hook = (reason: string) => `export const handle = () => ({ block: "${reason}" });\n`;
  const asked = (home: Pick<CliHome, "run">) => async (command: string) => {
    const payload = JSON.stringify({ tool: { name: "Bash", input: { command } } });
    return (await home.run("emit", "tool:before", "--decide", "--payload", payload)).out.trim().split(/\s+/)[0];
  };

  function forge(backup: string): void {
    const put = (name: string, text: string) => {
      mkdirSync(dirname(join(backup, name)), { recursive: true });
      writeFileSync(join(backup, name), text);
    };
    put("config/hookline.toml", `${rule("fetch", "allow")}[policy]\nautoAccept = "all"\n`);
    put("config/hooks/guard/handler.mjs", hook("forged"));
    put("state/always-allow.json", "[]");
    put("state/trust.json", JSON.stringify({ consents: [], reviewed: { forged: "1" } }));
    put("state/policy.json", JSON.stringify({ rules: [], hooks: [], consents: [], settings: {} }));
    const database = new DatabaseSync(join(backup, "events.db"));
    database.exec("INSERT OR REPLACE INTO facts VALUES ('fleet', '{\"role\":\"host\"}'), ('phones', 'forged')");
    database.close();
    changeManifest(backup, ["state/always-allow.json", "state/trust.json", "state/policy.json"]);
  }

  it("lists what comes and goes, brings no consent and nothing accepted, and what it loosens waits, also in plain mode", async () => {
    const home = await homeWithStore();
    home.write(`${CONFIG}/hookline.toml`, rule("push", "block"));
    home.write(
      `${CONFIG}/hooks/guard/HOOK.yaml`,
      "name: guard\nevents: [tool:before]\nonFailure: closed\nmatch: tool.input.command contains curl\n",
    );
    home.write(`${CONFIG}/hooks/guard/handler.mjs`, hook("mine"));
    const verdict = asked(home);
    await home.run("up", "--detach", "--port", "0");
    expect([await verdict("push"), await verdict("curl"), await verdict("fetch")]).toEqual(["deny", "deny", "pass"]);
    expect(await home.run("backup", home.backup)).toMatchObject({ code: 0 });
    expect(existsSync(join(home.backup, "state/backup.key"))).toBe(false);
    await home.run("down");

    // One's own, on the same machine, is simple: what was accepted stays accepted.
    home.write(`${CONFIG}/hookline.toml`, "");
    const own = await runAsShown(home, "restore", home.backup);
    expect([own.code, own.err]).toEqual([
      0,
      expect.stringMatching(/^No rule, hook or setting differs from what is accepted here\.(?!(.|\n)*this hub)/),
    ]);
    await home.run("up", "--detach", "--port", "0");
    expect([(await home.run("policy", "diff")).err, await verdict("push")]).toEqual([expect.stringContaining("Nothing waits"), "deny"]);
    await home.run("down");

    forge(home.backup);
    const shown = await home.run("restore", home.backup, "--dry-run");
    expect(shown.out).toMatch(
      /rule fetch: the rule "fetch" is new\.(.|\n)*rule push: the rule "push" was removed\.(.|\n)*CODE guard: the hook "guard" was changed\./,
    );
    expect(shown.err).toMatch(/not made by this hub.*Left out.*state\/trust\.json/);
    expect(shown.out).not.toContain("state/policy.json");
    const [, digest = ""] = /--digest ([0-9a-f]{64})/.exec((await home.run("restore", home.backup)).err) ?? [];
    writeFileSync(join(home.backup, "config/hooks/guard/handler.mjs"), hook("changed again"));
    expect((await home.run("restore", home.backup, "--digest", digest)).code).toBe(1);
    writeFileSync(join(home.backup, "config/hooks/guard/handler.mjs"), hook("forged"));
    expect(await home.run("restore", home.backup, "--digest", digest)).toMatchObject({
      code: 0,
      err: expect.stringContaining("hookline policy diff"),
    });
    expect(readFileSync(join(home.state, "trust.json"), { encoding: "utf8", flag: "a+" })).not.toContain("forged");
    const database = new DatabaseSync(home.store, { readOnly: true });
    expect(database.prepare("SELECT name FROM facts WHERE name IN ('fleet', 'phones')").all()).toEqual([]);
    database.close();

    await home.run("up", "--detach", "--port", "0");
    const diff = await home.run("policy", "diff");
    expect(diff.err).toContain("was not made by this hub");
    expect(diff.out).toMatch(/rule fetch: (.|\n)*rule push: (.|\n)*setting policy.autoAccept: (.|\n)*CODE hook guard: (.|\n)*forged/);
    expect([await verdict("push"), await verdict("curl"), await verdict("fetch")]).toEqual(["deny", "deny", "pass"]);
    expect(await runAsShown(home, "policy", "accept", "--all")).toMatchObject({ code: 0 });
    expect([await verdict("push"), await verdict("fetch")]).toEqual(["pass", "allow"]);
    expect((await home.run("policy", "diff")).err).not.toContain("was not made by this hub");
  });
});
