import { describe, expect, it } from "vitest";
import { agents as all } from "../agents.js";
import { ruleLimits } from "./agent-limits.js";

const limits = (event: string, action: string) => ruleLimits([{ name: "r", events: [event], do: action }], agents);

// What four of them say.
const agents = all.slice(0, 4);

describe("ruleLimits", () => {
  it("reports nothing for what every agent can do", () => {
    for (const action of ["block", "ask", "modify", "notify"]) expect(limits("tool:before", action)).toEqual([]);
  });

  it("names the agent, its event, and what happens instead", () => {
    expect(limits("PreToolUse", "inject")).toEqual([
      'rule "r": Gemini CLI cannot be told anything at BeforeTool: it is told with the next event that can carry it.',
    ]);
    expect(limits("prompt:submit", "modify")).toEqual([
      'rule "r": Claude Code cannot take a rewrite at UserPromptSubmit: what it would rewrite is denied.',
      'rule "r": Codex cannot take a rewrite at UserPromptSubmit: what it would rewrite is denied.',
      'rule "r": Gemini CLI cannot take a rewrite at BeforeAgent: what it would rewrite is denied.',
    ]);
    expect(limits("tool:before", "allow")).toEqual([
      'rule "r": Codex cannot skip its own prompt at PreToolUse: it still asks.',
      'rule "r": Gemini CLI cannot skip its own prompt at BeforeTool: it still asks.',
    ]);
    expect(limits("worker:spawned", "block")).toContain('rule "r": Claude Code cannot be blocked at SubagentStart: it goes on.');
    expect(limits("worker:spawned", "block")).toContain('rule "r": Gemini CLI does not report worker:spawned, so it never applies there.');
  });

  it("knows the events that carry the results of transforms", () => {
    expect(limits("tool:result", "inject")).toEqual([]);
    expect(limits("prompt:build", "inject")).toEqual([]);
    expect(ruleLimits([{ name: "r", events: ["answer:transform"], do: "inject" }], all)).toHaveLength(all.length);
    expect(limits("tool:result", "replace")).toContain(
      'rule "r": Claude Code does not accept a changed output at PostToolUseFailure: the model sees the original output of a failed call.',
    );
  });

  it("says which outputs a rule for a pattern cannot replace", () => {
    expect(limits("tool:*", "replace")).toEqual(limits("tool:result", "replace"));
    expect(limits("*", "replace")).toEqual([]);
  });

  it("reports nothing for patterns with a usable event, and for disabled rules", () => {
    expect(limits("tool:*", "block")).toEqual([]);
    expect(limits("*", "block")).toEqual([]);
    expect(ruleLimits([{ name: "r", events: ["tool:before"], do: "inject", enabled: false }], agents)).toEqual([]);
  });
});
