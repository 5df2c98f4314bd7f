import { describe, expect, it } from "vitest";
import { agents as all } from "../agents.js";
import { kimi } from "../kimi/definition.js";
import { hookLimits } from "./agent-limits.js";

// What four of them say.
const agents = all.slice(0, 4);
const limits = (event: string, stage?: string, permissions: readonly string[] = []) =>
  hookLimits([{ name: "h", hooks: [{ event, stage }], permissions }], agents);

describe("hookLimits", () => {
  it("says which outputs cannot be replaced", () => {
    expect(limits("tool:result")).toEqual([
      'hook "h": Claude Code does not accept a changed output at PostToolUseFailure: the model sees the original output of a failed call.',
      'hook "h": Codex does not report failed calls of MCP servers: the model sees their original output.',
      'hook "h": Copilot CLI does not accept a changed output at postToolUseFailure: the model sees the original output of a failed call.',
    ]);
    expect(hookLimits([{ name: "h", hooks: [{ event: "tool:result" }], permissions: [] }], [kimi])).toEqual([
      'hook "h": Kimi Code does not accept a changed output at PostToolUse and PostToolUseFailure: the model sees the original output.',
    ]);
    // Under any of its names.
    expect(limits("transform_tool_result")).toEqual(limits("tool:result"));
  });

  it("reports agents that accept no changed prompt, and events that no agent asks about", () => {
    expect(limits("prompt:build").map((text) => text.split(":")[1]?.trim())).toEqual([
      "Claude Code does not accept a changed prompt at UserPromptSubmit",
      "Codex does not accept a changed prompt at UserPromptSubmit",
      "Gemini CLI does not accept a changed prompt at BeforeAgent",
    ]);
    for (const event of ["answer:transform", "tool:env"])
      expect(hookLimits([{ name: "h", hooks: [{ event, stage: undefined }], permissions: [] }], all)).toEqual(
        all.map(({ title }) => `hook "h": ${title} does not ask about ${event}, so nothing is changed there.`),
      );
  });

  it("says of an agent that accepts no other output at all that its model sees the original", () => {
    const said = hookLimits([{ name: "h", hooks: [{ event: "tool:result", stage: undefined }], permissions: [] }], all);
    const unable = all.filter(({ events }) => !Object.values(events).some(({ can }) => can.includes("replace")));
    expect(unable.map(({ id }) => id)).toContain("cursor");
    for (const { title } of unable)
      expect(said.filter((text) => text.startsWith(`hook "h": ${title} does not accept a changed output at `))).toEqual([
        expect.stringMatching(/: the model sees the original output\.$/),
      ]);
  });

  it("reports events that cannot be blocked, and events that an agent does not report", () => {
    expect(limits("worker:spawned")).toEqual([
      'hook "h": Claude Code cannot be blocked at SubagentStart: it continues, whatever the hook answers.',
      'hook "h": Codex cannot be blocked at SubagentStart: it continues, whatever the hook answers.',
      'hook "h": Gemini CLI does not report worker:spawned, so the hook never runs there.',
      'hook "h": Copilot CLI cannot be blocked at subagentStart: it continues, whatever the hook answers.',
    ]);
    expect(limits("worker:spawned", "observe")).toEqual([
      'hook "h": Gemini CLI does not report worker:spawned, so the hook never runs there.',
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
