import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { removeFolder } from "./remove-folder.ts";

/** An empty folder that goes when the test is over. */
export function testFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "hookline-test-"));
  onTestFinished(() => removeFolder(path));
  return path;
}
