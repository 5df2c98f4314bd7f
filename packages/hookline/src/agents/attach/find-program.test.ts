import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { findAgent } from "../agents.js";
import { isProgramOf } from "./find-program.js";

/** A program of a package, as npm installs it. */
function installed(packageName: string): string {
  const folder = join(testFolder(), "node_modules", packageName);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: packageName, version: "1.0.0" }));
  writeFileSync(join(folder, "program"), "", { mode: 0o700 });
  return join(folder, "program");
}

describe("the program of an agent", () => {
  it.each([
    ["copilot", "@github/copilot", true],
    ["copilot", "@github/copilot-linux-x64", true],
    ["copilot", "@github/copilot-linuxmusl-arm64", true],
    ["copilot", "@github/copilot-language-server", false],
    ["claude-code", "@anthropic-ai/claude-code-linux-x64", true],
    ["claude-code", "@anthropic-ai/claude-code-linux-arm64-musl", true],
    ["claude-code", "@anthropic-ai/claude-code-router", false],
    ["codex", "@openai/codex", true],
    ["codex", "@github/copilot-linux-x64", false],
  ])("%s may be in %s: %s", (id, packageName, isOwn) => {
    const program = findAgent(id)?.program;
    expect(program && isProgramOf(program, installed(packageName), { PATH: "" })).toBe(isOwn);
  });
});
