import { describe, expect, it } from "vitest";
import { claudeCode } from "./claude-code/definition.js";
import { codex } from "./codex/definition.js";
import { copilot } from "./copilot/definition.js";
import { gemini } from "./gemini/definition.js";
import { toolNote } from "./tool-note.js";

type Guarding = Parameters<typeof toolNote>[0];
const attached = [claudeCode, gemini];
const note = (guard: Partial<Guarding>, known: Partial<Parameters<typeof toolNote>[1]> = {}) =>
  toolNote({ events: ["tool:before"], ...guard }, { attached, ...known });

describe("toolNote", () => {
  it.each<Partial<Guarding>>([
    {},
    { tool: "bash" },
    { tool: "RUN_SHELL_COMMAND" },
    { tool: ["bsah", "write_file"] },
    { tool: "mcp__github__*" },
    { match: "mcp__github__* && tool.input.title" },
    { match: "tool.name == 'bash' && tool.input.command contains rm" },
    { match: "tool.input.command contains rm" },
    { match: { where: { "tool.name": "*SHELL*" } } },
    { match: "bsah", events: ["session:info"] },
    { match: "bsah", events: ["*"] },
    { tool: "bsah", match: "is broken &&" },
  ])("says nothing of %j", (guard) => expect(note(guard)).toBeUndefined());

  it("names the tool that no attached agent has, and what was meant", () => {
    expect(note({ tool: "bsah" })).toBe('No attached agent (Claude Code, Gemini CLI) has a tool "bsah". Did you mean "Bash"?');
    expect(note({ tool: "write_fiel" })).toContain('Did you mean "write_file"?');
    expect(note({ tool: ["zig", "zag*"] })).toContain('has a tool "zig" or "zag*".');
    expect(note({ tool: "bsah", events: ["*"] })).toContain('"bsah"');
    expect(note({ tool: "spawn_agent" }, { attached: [codex] })).toBeUndefined();
    expect(note({ tool: "spawn_agent" })).toContain('"spawn_agent"');
  });

  it("looks into an expression", () => {
    for (const match of ["tool.name == 'bsah' && tool.input.command", "bsah", "(bsah || gerp) && tool.input.path"])
      expect(note({ match })).toBe('Its "match" is for tools that no attached agent (Claude Code, Gemini CLI) has.');
    expect(note({ tool: "bash", match: "read" })).toContain('has a tool "bash"');
  });

  it("says what an agent calls the tools of MCP servers", () => {
    expect(note({ tool: "mcp__*" }, { attached: [copilot] })).toBe(
      'No attached agent (Copilot CLI) has a tool "mcp__*". Copilot CLI calls a tool of an MCP server server-tool.',
    );
    expect(note({ tool: "mcp__my-files__*" }, { attached: [codex] })).toContain("mcp__my_files__tool");
  });

  it("knows what the hub has seen, in any case, and needs an agent to be attached", () => {
    expect(note({ tool: "deploy" }, { seen: ["Deploy"] })).toBeUndefined();
    expect(note({ match: "deploy && tool.input.to" }, { seen: ["Deploy"] })).toBeUndefined();
    expect(note({ tool: "deplyo" }, { seen: ["deploy"] })).toMatch(
      /Did you mean "deploy"\? The hub has seen no call of such a tool either\.$/,
    );
    expect(note({ tool: "bsah" }, { attached: [] })).toBeUndefined();
  });
});
