import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../test/support/test-folder.js";
import type { LoadedConfig } from "./config.js";
import { type ConfigWatch, watchConfig } from "./watch-config.js";

let watch: ConfigWatch | undefined;
afterEach(() => watch?.close());

function start(path: string): { loads: LoadedConfig[]; faults: string[] } {
  const seen = { loads: [] as LoadedConfig[], faults: [] as string[] };
  watch = watchConfig(path, { onChange: (loaded) => void seen.loads.push(loaded), onFault: (fault) => void seen.faults.push(fault) });
  return seen;
}
const ruleNamed = (name: string) => `[[rule]]\nname = "${name}"\ndo = "block"\n`;
const namesOf = (loaded: LoadedConfig | undefined) => loaded?.config?.rules.map(({ name }) => name);

describe("watchConfig", () => {
  it("reports the content of a file, also if it is replaced or created later", async () => {
    const folder = testFolder();
    const path = join(folder, "later", "hookline.toml");
    const { loads } = start(path);
    mkdirSync(join(folder, "later"));
    writeFileSync(path, ruleNamed("one"), { mode: 0o600 });
    await expect.poll(() => namesOf(loads.at(-1))).toEqual(["one"]);
    writeFileSync(`${path}.tmp`, ruleNamed("two"), { mode: 0o600 });
    renameSync(`${path}.tmp`, path);
    await expect.poll(() => namesOf(loads.at(-1))).toEqual(["two"]);
  });

  it("reads a thousand rewrites in a row few times, and the last of them last", async () => {
    const path = join(testFolder(), "hookline.toml");
    writeFileSync(path, ruleNamed("start"), { mode: 0o600 });
    const { loads, faults } = start(path);
    for (let i = 0; i < 1_000; i++) {
      writeFileSync(path, ruleNamed(`r${i}`));
      if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => namesOf(loads.at(-1))).toEqual(["r999"]);
    expect(loads.length).toBeLessThan(50);
    expect(faults).toEqual([]);
  });

  it("reports that a file was removed, and nothing if its content is unchanged", async () => {
    const path = join(testFolder(), "hookline.toml");
    writeFileSync(path, ruleNamed("one"), { mode: 0o600 });
    const { loads, faults } = start(path);
    writeFileSync(path, ruleNamed("one"));
    await watch?.check();
    expect([loads, faults]).toEqual([[], []]);
    rmSync(path);
    await expect.poll(() => faults).toEqual(["The file does not exist any more."]);
    writeFileSync(path, "[[rule", { mode: 0o600 });
    await expect.poll(() => loads.at(-1)?.problems.length).toBe(1);
    expect(loads.at(-1)?.config).toBeUndefined();
  });
});
