import { describe, expect, it } from "vitest";
import { agents } from "../agents.js";
import { hookLimits } from "./agent-limits.js";

const limits = (event: string, stage?: string, permissions: readonly string[] = []) =>
  hookLimits([{ name: "h", hooks: [{ event, stage }], permissions }], agents);

describe("hookLimits", () => {
  it("says which outputs cannot be replaced", () => {
    expect(limits("tool:result")).toEqual([
      'hook "h": Claude Code cannot be given another output at PostToolUseFailure: the model sees that of a failed call as it is.',
      'hook "h": Codex does not tell of calls of MCP servers that failed: the model sees their output as it is.',
      'hook "h": Copilot CLI cannot be given another output at postToolUseFailure: the model sees that of a failed call as it is.',
    ]);
    // Under any of its names.
    expect(limits("transform_tool_result")).toEqual(limits("tool:result"));
  });

  it("reports agents that accept no changed prompt, and events that no agent asks about", () => {
    expect(limits("prompt:build").map((text) => text.split(":")[1]?.trim())).toEqual([
      "Claude Code cannot be given another prompt at UserPromptSubmit",
      "Codex cannot be given another prompt at UserPromptSubmit",
      "Gemini CLI cannot be given another prompt at BeforeAgent",
    ]);
    for (const event of ["answer:transform", "tool:env"])
      expect(limits(event)).toEqual(
        agents.map(({ title }) => `hook "h": ${title} does not ask about ${event}, so nothing is changed there.`),
      );
  });

  it("reports events that cannot be blocked, and events that an agent does not report", () => {
    expect(limits("worker:spawned")).toEqual([
      'hook "h": Claude Code cannot be blocked at SubagentStart: it goes on, whatever the hook says.',
      'hook "h": Codex cannot be blocked at SubagentStart: it goes on, whatever the hook says.',
      'hook "h": Gemini CLI does not tell of worker:spawned: the hook is never asked there.',
      'hook "h": Copilot CLI cannot be blocked at subagentStart: it goes on, whatever the hook says.',
    ]);
    expect(limits("worker:spawned", "observe")).toEqual([
      'hook "h": Gemini CLI does not tell of worker:spawned: the hook is never asked there.',
    ]);
  });

  it("reports for a pattern what holds for the events that agents report", () => {
    expect(limits("tool:*")).toEqual(limits("tool:result"));
    expect(limits("worker:*").filter((text) => text.includes("cannot be blocked at"))).toHaveLength(3);
    expect(limits("worker:*").filter((text) => text.includes("does not tell"))).toEqual([]);
  });

  it("knows that a hook after a call acts on the output, if it may", () => {
    expect(limits("PostToolUse", undefined, ["tools.transform"])).toEqual(limits("tool:result"));
    expect(limits("tool:after", undefined, ["tools.transform"])).toEqual([]);
  });

  it("reports nothing for what every agent can do, and nothing for a hook on all events", () => {
    for (const event of ["tool:before", "PreToolUse", "prompt:submit", "tool:after", "session:start", "finish:before", "PostToolUse", "*"])
      expect([event, limits(event)]).toEqual([event, []]);
  });
});
