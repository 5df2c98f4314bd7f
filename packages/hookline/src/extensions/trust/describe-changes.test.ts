import { describe, expect, it } from "vitest";
import { describeChanges } from "./describe-changes.js";
import type { FolderEntry } from "./read-folder.js";

const file = (name: string, content: string | Buffer, isExecutable = false): FolderEntry => ({
  kind: "file",
  name,
  isExecutable,
  content: Buffer.from(content),
});

describe("describeChanges", () => {
  it("shows lines that came and went, inert, and new and missing files", () => {
    const before = [file("a.js", "one\ntwo\n"), file("gone", "x\n"), file("same", "s\n")];
    const after = [file("a.js", "one\n\u001b[2Jtwo\n"), file("new", "y\n"), file("same", "s\n")];
    const text = describeChanges(before, after);
    expect(text).toContain("--- a/a.js\n+++ b/a.js\n@@ -1,2 +1,2 @@\n one\n-two\n+");
    expect(text).toContain("+++ /dev/null");
    expect(text).toContain("--- /dev/null\n+++ b/new");
    expect(text).not.toContain("same");
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  });

  it("names what cannot be shown, and what may be run", () => {
    const before = [file("bin", Buffer.from([0, 1])), file("run.sh", "x\n"), { kind: "link", name: "l", target: "a" } as const];
    const after = [file("bin", Buffer.from([0, 2])), file("run.sh", "x\n", true), { kind: "link", name: "l", target: "b" } as const];
    const text = describeChanges(before, after);
    expect(text.split("\n")).toEqual(
      expect.arrayContaining(["bin: it differs; its content is not shown", "--> a", "+-> b", "run.sh: it is now executable"]),
    );
  });
});
