import { describe, expect, it } from "vitest";
import { eventFor, payloadFor, toolFor } from "./example-event.js";

describe("an example's event", () => {
  it.each([
    [["PreToolUse"], "tool:before"],
    [["tool:*"], "tool:before"],
    [["*"], "tool:before"],
    [["session:end", "prompt:submit"], "prompt:submit"],
    [["session:*"], undefined],
    [["command:*"], "command:sample"],
    [["command:deploy"], "command:deploy"],
    [["no such event"], undefined],
  ])("of %o is the first that can be blocked: %s", (events, expected) => {
    expect(eventFor(events, ({ kind, outcomes }) => kind === "gate" && outcomes.includes("block"))).toBe(expected);
  });
});

describe("an example's payload", () => {
  it("is a command, a prompt, or what it says", () => {
    expect(payloadFor("tool:before", "ls", "Edit")).toEqual({ tool: { name: "Edit", callId: "example", input: { command: "ls" } } });
    expect(payloadFor("prompt:submit", "hello")).toEqual({ prompt: "hello" });
    expect(payloadFor("prompt:submit", { a: 1 })).toEqual({ a: 1 });
  });

  it.each([
    [undefined, "Bash"],
    [["write*", "Edit"], "Edit"],
    ["Edit|Write", "Edit"],
    ["B*", "Bash"],
    ["*shell*", "shell"],
    ["mcp__[ab]?_*", "mcp__ax_"],
    ["[", "Bash"],
  ])("has a tool that %o takes: %s", (tool, expected) => {
    expect(toolFor(tool)).toBe(expected);
  });
});
