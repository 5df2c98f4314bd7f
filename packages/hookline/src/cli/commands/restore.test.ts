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
import { join } from "node:path";
import { openStore } from "hookline/internal";
import { expect, it, onTestFinished } from "vitest";
import { createHomeInProcess } from "../../../../../test/support/cli-home.ts";

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
  expect(await home.run("restore", home.backup, "--yes")).toMatchObject({ code: 0 });
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
  expect(await home.run("restore", home.backup, "--yes")).toMatchObject({ code: 1, err: expect.stringContaining("Nothing was restored") });
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
  expect(await home.run("restore", home.backup, "--yes")).toMatchObject({ code: 0 });
  expect(readdirSync(data).filter((name) => name.startsWith("events.db"))).toEqual(["events.db"]);
});

it("writes through no link that leads nowhere", async () => {
  const home = await homeWithStore();
  expect(await home.run("backup", home.backup)).toMatchObject({ code: 0 });
  const rules = join(home.config, "hookline.toml");
  rmSync(rules);
  symlinkSync(join(home.folder, "not-there"), rules);
  expect(await home.run("restore", home.backup, "--yes")).toMatchObject({ code: 0 });
  expect([existsSync(join(home.folder, "not-there")), readFileSync(rules, "utf8")]).toEqual([false, "# mine\n"]);
});

it.each([{ files: null }, { files: {}, at: 1 }, { files: { "config/..\\..\\x": "" } }])(
  "refuses a list of files that no backup has: %j",
  async (wrong) => {
    const home = await homeWithStore();
    const text = JSON.stringify({ v: 1, at: "2026-01-01", version: "0.1.0", schema: 1, keys: false, ...wrong });
    home.write("backup/backup.json", text);
    expect(await home.run("restore", home.backup, "--yes")).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not what `hookline backup` writes"),
    });
  },
);
