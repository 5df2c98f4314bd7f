import { describe, expect, it } from "vitest";
import type { Wanted } from "../rules/sender.js";
import { createAgentSender } from "./agent-sender.js";
import { agents, findAgent } from "./agents.js";
import type { AgentDefinition } from "./shared/definition.js";

const send = (id: string, wanted: Omit<Wanted, "event"> & { readonly event?: string }) =>
  createAgentSender(findAgent(id) as AgentDefinition).send({ event: "tool:before", ...wanted });
const toolSent = (id: string, wanted: Omit<Wanted, "event">) => {
  const sent = send(id, wanted);
  return sent !== undefined && "payload" in sent ? (sent.payload as { readonly tool: unknown }).tool : sent;
};

describe("a text", () => {
  it("is a command of the agent's own shell", () => {
    const expected: { readonly [id: string]: object } = {
      "claude-code": { name: "Bash" },
      codex: { name: "Bash" },
      gemini: { name: "Bash", runtimeName: "run_shell_command" },
      copilot: { name: "Bash", runtimeName: "bash" },
    };
    for (const id of Object.keys(expected))
      for (const tool of [undefined, "bash", "BASH|nothing", "*"])
        expect(toolSent(id, { example: "rm x", tool })).toMatchObject({ ...expected[id], input: { command: "rm x" } });
  });

  it("goes to the tool that the guard is for, by its filter or its match", () => {
    expect(toolSent("gemini", { example: "x", tool: "write_file" })).toMatchObject({ name: "Write", runtimeName: "write_file" });
    expect(toolSent("claude-code", { example: "x", match: "tool.name == 'webfetch' && tool.input.url" })).toMatchObject({
      name: "WebFetch",
    });
  });

  it("is not sent to a tool that the agent does not have, and says what it has", () => {
    expect(send("claude-code", { example: "x", tool: "bsah" })).toEqual({
      missing: 'Claude Code has no tool "bsah". Did you mean "Bash"?',
    });
    expect(send("claude-code", { example: "x", tool: "run_shell_command" })).toEqual({
      missing: 'Claude Code has no tool "run_shell_command".',
    });
    expect(send("codex", { example: "x", tool: ["a", "zz*"] })).toEqual({ missing: 'Codex has no tool "a" or "zz*".' });
    expect(send("copilot", { example: "x", match: "bsah && tool.input.command" })).toEqual({
      missing: 'Copilot CLI has no tool that can satisfy its "match".',
    });
  });

  it("is sent to tools of MCP servers under the agent's name for them", () => {
    for (const scope of [{ tool: "mcp__*" }, { match: "mcp__* && tool.input.title" }]) {
      expect(toolSent("claude-code", { example: "x", ...scope })).toMatchObject({ name: "mcp__server__tool" });
      expect(toolSent("gemini", { example: "x", ...scope })).toMatchObject({ name: "mcp__server__tool", runtimeName: "mcp_server_tool" });
      expect(send("copilot", { example: "x", ...scope })).toEqual({ missing: "Copilot CLI calls a tool of an MCP server server-tool." });
    }
    expect(send("codex", { example: "x", tool: "mcp__my-files__*" })).toEqual({
      missing: "Codex calls a tool of an MCP server mcp__my_files__tool.",
    });
  });

  it("is a prompt where the event has one", () => {
    const reporting = agents.filter(({ events }) => Object.values(events).some(({ event }) => event === "prompt:submit"));
    expect(reporting.length).toBeGreaterThan(8);
    for (const { id } of reporting)
      expect(send(id, { event: "prompt:submit", example: "my key" })).toMatchObject({
        payload: { prompt: "my key", session: { id: "selftest" } },
      });
  });
});

describe("a payload that is written out", () => {
  const write = { tool: { name: "Edit", input: { file_path: "/etc/hosts", old_string: "a", new_string: "b" } } };

  it("is sent as a call of that tool, in the agent's own fields", () => {
    expect(toolSent("claude-code", { example: write })).toMatchObject({
      name: "Edit",
      input: { file_path: "/etc/hosts", path: "/etc/hosts" },
    });
    expect(toolSent("gemini", { example: write })).toMatchObject({ runtimeName: "replace", input: { file_path: "/etc/hosts" } });
    expect(toolSent("copilot", { example: write })).toMatchObject({ runtimeName: "edit", input: { path: "/etc/hosts" } });
    expect(toolSent("copilot", { example: write })).not.toHaveProperty("input.file_path");
    expect(toolSent("codex", { example: write })).toMatchObject({
      runtimeName: "apply_patch",
      input: { command: "*** Begin Patch\n*** Update File: /etc/hosts\n@@\n-a\n+b\n*** End Patch", path: "/etc/hosts" },
    });
  });

  it("keeps what else its author says, and is told apart by its own name", () => {
    const example = { cwd: "/app", agent: { name: "reviewer" }, tool: { name: "BASH", input: { command: "ls" } } };
    expect(send("gemini", { example, cwd: "/other" })).toMatchObject({
      payload: { cwd: "/app", agent: { name: "reviewer", platform: "gemini" }, tool: { runtimeName: "run_shell_command" } },
    });
    expect(send("codex", { example: { tool: { name: "Write", input: {} } } })).toEqual({ missing: 'Codex has no tool "Write".' });
    expect(send("copilot", { example: { tool: { name: "mcp__files__read", input: {} } } })).toEqual({
      missing: "Copilot CLI calls it files-read.",
    });
  });

  it("without a tool, or for an event that agents do not have samples of, is left as it is", () => {
    expect(send("codex", { example: { target: "x" } })).toBeUndefined();
    expect(send("codex", { event: "command:deploy", example: "x" })).toBeUndefined();
    expect(send("gemini", { event: "permission:asked", example: "x" })).toEqual({
      missing: "Gemini CLI does not report permission:asked.",
    });
  });
});
