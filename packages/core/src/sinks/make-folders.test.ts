import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../../test/support/test-folder.js";
import { makeFolders } from "./make-folders.js";

it("makes what is missing, and says whether anything was", () => {
  const folder = join(testFolder(), "a", "b", "c");
  expect(makeFolders(folder)).toBe(true);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(makeFolders(folder)).toBe(false);
});

it("fails where a file is in the way", () => {
  const file = join(testFolder(), "file");
  writeFileSync(file, "");
  expect(() => makeFolders(file)).toThrow("EEXIST");
  expect(() => makeFolders(join(file, "a", "b"))).toThrow("ENOTDIR");
});

it.skipIf(!existsSync("/proc/self"))("fails where no folder can be made", () => {
  expect(() => makeFolders("/proc/hookline/state")).toThrow("ENOENT");
});
