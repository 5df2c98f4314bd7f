import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { openDatabase } from "./open-database.js";
import { watchStoreFiles } from "./store-files.js";
import { watchStoreHealth } from "./store-health.js";

it("files that cannot be written again are told of once, and are written again as soon as they can be", async () => {
  const path = join(testFolder(), "events.db");
  const database = openDatabase(path);
  database.exec("INSERT INTO facts VALUES ('kept', 'yes')");
  const files = watchStoreFiles(path);
  const faults: string[] = [];
  let attempts = 0;
  const restored = new Promise<void>((resolve) => {
    const restore: typeof files.restore = (open) => {
      attempts++;
      files.restore(open);
    };
    const watched = { database, files: { ...files, restore }, onFault: ({ text }: { readonly text: string }) => void faults.push(text) };
    const health = watchStoreHealth({ write: () => [] }, { ...watched, onRestored: resolve });
    onTestFinished(() => health.close());
  });
  for (const name of [path, `${path}-wal`, `${path}-shm`]) rmSync(name);
  // A folder is not removed like a file.
  mkdirSync(`${path}-wal`);
  await expect.poll(() => attempts, { timeout: 30_000 }).toBeGreaterThan(2);
  expect(faults).toEqual([
    expect.stringMatching(/was removed while the hub was running$/),
    expect.stringContaining("and cannot be written again"),
  ]);
  rmdirSync(`${path}-wal`);
  await restored;
  const again = openDatabase(path);
  onTestFinished(() => again.close());
  expect(again.prepare("SELECT value FROM facts WHERE name = 'kept'").get()).toEqual({ value: "yes" });
});

it("a store whose hub was killed while it was written again is the one that is opened, and not what took its place", () => {
  const folder = testFolder();
  const path = join(folder, "events.db");
  const database = openDatabase(path);
  database.exec("INSERT INTO facts VALUES ('kept', 'yes')");
  // What the killed hub leaves: the whole copy, the old log, and a file of another program with the store's name.
  database.exec(`VACUUM INTO '${path}.restored'`);
  database.close();
  openDatabase(join(folder, "foreign.db")).close();
  renameSync(join(folder, "foreign.db"), path);
  writeFileSync(`${path}-wal`, "not a log");
  expect(() => openDatabase(path, { readOnly: true })).toThrow(/was being written again when its hub ended/);
  const again = openDatabase(path);
  onTestFinished(() => again.close());
  expect(again.prepare("SELECT value FROM facts WHERE name = 'kept'").get()).toEqual({ value: "yes" });
  expect(readdirSync(folder).filter((name) => !/-(?:wal|shm)$/.test(name))).toEqual(["events.db", expect.stringContaining(".foreign-")]);
});

it("a copy that is not whole is not opened", () => {
  const path = join(testFolder(), "events.db");
  const database = openDatabase(path);
  database.exec("INSERT INTO facts VALUES ('kept', 'yes')");
  database.close();
  writeFileSync(`${path}.restoring`, "half");
  const again = openDatabase(path);
  onTestFinished(() => again.close());
  expect(again.prepare("SELECT value FROM facts WHERE name = 'kept'").get()).toEqual({ value: "yes" });
});
