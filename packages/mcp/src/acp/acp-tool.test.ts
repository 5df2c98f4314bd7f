import { expect, it } from "vitest";
import { askedTool, toolOf } from "./acp-tool.js";

it.each([
  ["a text", "rm -rf x", "rm -rf x"],
  ["a list", ["git", "push"], "git push"],
  ["a list with a script, which stays one word", ["bash", "-lc", "rm -rf x"], "bash -lc 'rm -rf x'"],
  ["a list with quotes", ["echo", "it's"], "echo 'it'\\''s'"],
])("gives the rules the command of %s", (_, command, expected) => {
  expect(toolOf({ kind: "execute", rawInput: { command } })).toMatchObject({ name: "Bash", input: { command: expected } });
});

it("takes a call without a kind for a shell if it has a command, as Goose sends it", () => {
  expect(toolOf({ kind: "other", title: "shell", rawInput: { command: "make" } })).toMatchObject({
    name: "Bash",
    input: { command: "make" },
  });
  expect(toolOf({ kind: "other", title: "fetch", rawInput: { url: "x" } }).name).toBe("acp__other");
});

it("guards the title of a command that is told nowhere else, as Gemini CLI sends it", () => {
  expect(askedTool({ kind: "execute", title: "rm -rf x" })).toMatchObject({ tool: { input: { command: "rm -rf x" } }, isByTitle: true });
  expect(askedTool({ kind: "execute", title: "rm", rawInput: { command: "rm -rf x" } })).toMatchObject({
    tool: { input: { command: "rm -rf x" } },
    isByTitle: false,
  });
  const content = [{ type: "content", content: { type: "text", text: "Running: rm -rf x" } }];
  expect(askedTool({ kind: "execute", title: "Bash", content }).tool.input).toMatchObject({ content: "Running: rm -rf x" });
  expect(askedTool({ kind: "edit", title: "notes.txt" }).isByTitle).toBe(false);
});
