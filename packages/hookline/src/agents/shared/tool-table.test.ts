import { expect, test } from "vitest";
import { shellText, toCommon, toNative } from "./tool-table.js";

const table = { run: { name: "Bash" }, open: { name: "Read", path: "file" } };

test("a command that is a list becomes the text that a shell splits again, and goes back as a list", () => {
  const words = ["git", "commit", "-m", "it's done", ""];
  const common = toCommon(table, "run", { command: words });
  expect(common).toEqual({ name: "Bash", runtimeName: "run", input: { command: `git commit -m 'it'\\''s done' ''` } });
  expect(toNative(table, "run", common.input, { command: words })).toEqual({ command: words });
  expect(toNative(table, "run", { command: "ls; pwd" }, { command: words })).toEqual({ command: ["sh", "-c", "ls; pwd"] });
  expect(toNative(table, "run", { command: 5 }, { command: words })).toBeUndefined();
  expect(shellText(["a b", "$HOME", "x=1"])).toBe("'a b' '$HOME' x=1");
});

test("a path has its common name too, unless the tool has one of that name", () => {
  expect(toCommon(table, "open", { file: "/a" }).input).toEqual({ file: "/a", path: "/a" });
  expect(toCommon(table, "open", { file: "/a", path: "/b" }).input).toEqual({ file: "/a", path: "/b" });
  expect(toCommon(table, "open", { file: 5 }).input).toEqual({ file: 5 });
});

test("the way back takes out what was added, and refuses what is ambiguous", () => {
  expect(toNative(table, "open", { path: "/b" }, { file: "/a" })).toEqual({ file: "/b" });
  expect(toNative(table, "open", { file: "/b", path: "/b" }, { file: "/a" })).toEqual({ file: "/b" });
  expect(toNative(table, "open", { file: "/a", path: "/b" }, { file: "/a" })).toBeUndefined();
  expect(toNative(table, "open", { file: "/a", path: "/b" }, { file: "/a", path: "/c" })).toEqual({ file: "/a", path: "/b" });
  expect(toNative(table, "open", "text", { file: "/a" })).toBeUndefined();
  expect(toNative(table, "open", { file: "/a" }, undefined)).toBeUndefined();
});
