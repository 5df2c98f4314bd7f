import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../test/support/test-folder.js";
import { unifiedDiff } from "./unified-diff.js";

describe("unifiedDiff", () => {
  it("is what diff -u writes", () => {
    expect(unifiedDiff("/a/f", "1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nfive\n6\n")).toBe(
      "--- a/a/f\n+++ b/a/f\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+five\n 6\n",
    );
    expect(unifiedDiff("/f", undefined, "x")).toBe("--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n");
    expect(unifiedDiff("/f", "x\n", "x\n")).toBe("");
  });

  it("is applied by git to the text after", () => {
    const text = fc
      .tuple(fc.array(fc.constantFrom("a", "b", "  c", "", "d\r"), { maxLength: 30 }), fc.constantFrom("\n", ""))
      .map(([lines, end]) => (lines.length === 0 ? "" : lines.join("\n") + end));
    const folder = testFolder();
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after && before !== "" && after !== "");
        writeFileSync(join(folder, "f"), before);
        execFileSync("git", ["apply", "--whitespace=nowarn", "-"], { cwd: folder, input: unifiedDiff("f", before, after), stdio: "pipe" });
        expect(readFileSync(join(folder, "f"), "utf8")).toBe(after);
      }),
      { numRuns: 25 },
    );
    expect(existsSync(join(folder, "f.rej"))).toBe(false);
  });
});
