import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openDatabase } from "../store/open-database.js";
import { createRests } from "./give-way.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-rests-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Works several times for longer than a stretch of work takes, and counts the rests. */
function restsBeside(statement: string): number {
  const path = join(folder, "events.db");
  const [hub, backtest] = [openDatabase(path), openDatabase(path, { readOnly: true })];
  try {
    let rests = 0;
    const rest = createRests(backtest, () => rests++);
    hub.exec(statement);
    for (let stretch = 0; stretch < 5; stretch++) {
      for (const start = performance.now(); performance.now() < start + 2; );
      rest();
    }
    return rests;
  } finally {
    hub.close();
    backtest.close();
  }
}

it("rests while another process writes to the store", () => expect(restsBeside("CREATE TABLE more (x)")).toBeGreaterThan(0));

it("does not rest while nothing is written", () => expect(restsBeside("SELECT 1")).toBe(0));
