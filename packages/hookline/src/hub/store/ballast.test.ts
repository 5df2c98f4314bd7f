import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { createBallast } from "./ballast.js";

it("is given up once and taken again", () => {
  const path = join(testFolder(), "ballast");
  const ballast = createBallast(path, 1_000);
  expect([existsSync(path), ballast.release(), existsSync(path), ballast.release()]).toEqual([true, true, false, false]);
  ballast.restore();
  expect([existsSync(path), ballast.release()]).toEqual([true, true]);
});

it("throws nothing where it can be neither removed nor made, as on a disk that has become read-only", () => {
  const path = join(testFolder(), "ballast");
  const ballast = createBallast(path, 1_000);
  rmSync(path);
  mkdirSync(path);
  writeFileSync(join(path, "x"), "");
  expect(ballast.release()).toBe(false);
  expect(() => ballast.restore()).not.toThrow();
  expect(() => createBallast(join(path, "x", "y"), 1_000)).not.toThrow();
});
