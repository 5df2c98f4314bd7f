import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { denying, hookYaml, putFiles } from "../../../../../test/support/hook-files.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { stampOf, versionOf, versionsIn } from "./folder-version.js";

function hooksFolder() {
  const home = putFiles(testFolder(), {
    "hooks/a/HOOK.yaml": hookYaml("a"),
    "hooks/a/handler.mjs": denying("a"),
    "hooks/a/lib/deep.mjs": "1",
    "hooks/b/HOOK.yaml": hookYaml("b"),
  });
  const [hooks, a, b] = [join(home, "hooks"), join(home, "hooks/a"), join(home, "hooks/b")];
  /** Says which of the versions an act has changed. */
  const changes = (act: () => void): string[] => {
    const look = () => ({ a: versionOf(a), b: versionOf(b), all: versionsIn(hooks), stamp: stampOf(a) });
    const before = look();
    act();
    const after = look();
    return (Object.keys(before) as (keyof typeof before)[]).filter((key) => before[key] !== after[key]);
  };
  return { home, hooks, a, b, changes };
}

describe("versionOf", () => {
  it("is another after a change of the folder, and the same after one of its neighbour", () => {
    const { a, b, changes } = hooksFolder();
    expect(changes(() => {})).toEqual([]);
    expect(changes(() => writeFileSync(join(a, "handler.mjs"), denying("other")))).toEqual(["a", "all", "stamp"]);
    expect(changes(() => writeFileSync(join(a, "lib/deep.mjs"), "2"))).toEqual(["a", "all", "stamp"]);
    expect(changes(() => writeFileSync(join(a, "new.mjs"), ""))).toEqual(["a", "all", "stamp"]);
    expect(changes(() => rmSync(join(a, "new.mjs")))).toEqual(["a", "all", "stamp"]);
    expect(changes(() => chmodSync(a, 0o777))).toEqual(["a", "all", "stamp"]);
    expect(changes(() => utimesSync(join(b, "HOOK.yaml"), 1, 1))).toEqual(["b", "all"]);
  });

  it("sees a change that keeps the size and puts back the time", async () => {
    const { a, changes } = hooksFolder();
    const path = join(a, "handler.mjs");
    utimesSync(path, 1_000, 1_000);
    // The kernel's clock for files goes by steps.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const rewrite = () => {
      writeFileSync(path, denying("b"));
      utimesSync(path, 1_000, 1_000);
    };
    expect(changes(rewrite)).toEqual(["a", "all", "stamp"]);
  });

  it("ignores what programs write beside their code; a stamp does not", () => {
    const { a, changes } = hooksFolder();
    for (const name of ["seen.log", "events.jsonl", "state.db", "state.db-wal", "handler.mjs~"])
      expect(changes(() => writeFileSync(join(a, name), "x"))).toEqual(["stamp"]);
    expect(changes(() => putFiles(a, { "node_modules/x/index.js": "", "__pycache__/handler.pyc": "" }))).toEqual(["stamp"]);
  });

  it("follows links to folders and to files in them, and passes by what cannot be looked at", () => {
    const { home, hooks, changes } = hooksFolder();
    putFiles(home, { "far/HOOK.yaml": hookYaml("far"), "real.mjs": "1" });
    symlinkSync("../real.mjs", join(home, "far/handler.mjs"));
    symlinkSync("0-loop", join(hooks, "0-loop"));
    symlinkSync("../far", join(hooks, "z-far"));
    expect(changes(() => writeFileSync(join(home, "real.mjs"), "22"))).toEqual(["all"]);
    expect(versionOf(join(home, "nowhere"))).toBe("");
  });

  it("sees a change of a handler among many files", () => {
    const { hooks, a, b, changes } = hooksFolder();
    for (const folder of [join(a, "data"), join(hooks, "0-crowd")]) {
      mkdirSync(folder);
      for (let i = 0; i < 1_100; i++) writeFileSync(join(folder, String(i)), "");
    }
    expect(changes(() => writeFileSync(join(a, "handler.mjs"), "1"))).toEqual(["a", "all", "stamp"]);
    expect(changes(() => writeFileSync(join(b, "HOOK.yaml"), "2"))).toEqual(["b", "all"]);
  });
});
