import { expect, it } from "vitest";
import { toolOf } from "./acp-tool.js";

it.each([
  ["a text", "rm -rf x", "rm -rf x"],
  ["a list", ["git", "push"], "git push"],
  ["a list with a script, which stays one word", ["bash", "-lc", "rm -rf x"], "bash -lc 'rm -rf x'"],
  ["a list with quotes", ["echo", "it's"], "echo 'it'\\''s'"],
])("gives the rules the command of %s", (_, command, expected) => {
  expect(toolOf({ kind: "execute", rawInput: { command } })).toMatchObject({ name: "Bash", input: { command: expected } });
});
