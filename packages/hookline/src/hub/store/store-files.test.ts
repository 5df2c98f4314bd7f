import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { watchStoreFiles } from "./store-files.js";

const PAGE = 4_096;

/** A database whose header promises so many pages, and has so many. */
function database({ promised, pages, log }: { readonly promised: number; readonly pages: number; readonly log: number }): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "events.db");
  const bytes = Buffer.alloc(pages * PAGE);
  bytes.write("SQLite format 3\0", 0, "latin1");
  bytes.writeUInt16BE(PAGE, 16);
  bytes.writeUInt32BE(promised, 28);
  writeFileSync(path, bytes);
  writeFileSync(`${path}-wal`, Buffer.alloc(log));
  return path;
}

it("does not take a database for cut whose pages are still in its log, as a full disk leaves it", () => {
  const path = database({ promised: 10, pages: 4, log: 8 * PAGE });
  const files = watchStoreFiles(path);
  expect([files.fault(), files.fault()]).toEqual([undefined, undefined]);
  truncateSync(path, 2 * PAGE);
  expect(files.fault()).toMatchObject({ kind: "damaged", text: expect.stringContaining("was cut") });
});

it("finds a cut database that has no log", () => {
  expect(watchStoreFiles(database({ promised: 10, pages: 4, log: 0 })).fault()).toMatchObject({ kind: "damaged" });
  expect(watchStoreFiles(database({ promised: 10, pages: 10, log: 0 })).fault()).toBeUndefined();
});
