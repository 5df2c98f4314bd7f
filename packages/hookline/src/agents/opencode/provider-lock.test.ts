import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { providerLock } from "./provider-lock.js";

describe("the lock of OpenCode's settings", () => {
  it.each([
    '{\n  // mine\n  "model": "a/b",\n  "enabled_providers": ["anthropic", "openai"]\n}\n',
    '{ "model": "a/b" }\n',
    '{\n\t"enabled_providers": [\n\t\t"anthropic" // the one\n\t]\n}',
  ])("leaves no provider, keeps the rest, and is taken away again: %j", (text) => {
    const locked = providerLock.locked(text);
    expect([providerLock.isLocked(text), providerLock.isLocked(locked)]).toEqual([false, true]);
    expect(providerLock.locked(locked)).toBe(locked);
    expect(providerLock.unlocked(locked)?.replace(/\s+/g, "")).toBe(text.replace(/\s+/g, ""));
    if (text.includes("enabled_providers")) expect(providerLock.unlocked(locked)).toBe(text);
  });

  it("makes a file, which is removed again", () => {
    for (const text of [undefined, "", "\n"]) {
      const locked = providerLock.locked(text);
      expect(providerLock.isLocked(locked)).toBe(true);
      expect(providerLock.unlocked(locked)).toBeUndefined();
    }
    expect(providerLock.isLocked('{ "enabled_providers": ["hookline:anthropic", "openai"] }')).toBe(false);
  });

  it("is in the file that decides, or in the last one", () => {
    const folder = testFolder();
    mkdirSync(join(folder, "plugins"));
    const plugin = join(folder, "plugins", "hookline.js");
    expect(providerLock.path(plugin)).toBe(join(folder, "opencode.json"));
    writeFileSync(join(folder, "opencode.jsonc"), "{}");
    expect(providerLock.path(plugin)).toBe(join(folder, "opencode.jsonc"));
    writeFileSync(join(folder, "opencode.json"), '{ "enabled_providers": ["anthropic"] }');
    expect(providerLock.path(plugin)).toBe(join(folder, "opencode.json"));
  });
});
