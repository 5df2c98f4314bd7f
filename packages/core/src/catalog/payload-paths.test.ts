import { describe, expect, it } from "vitest";
import { checkPath } from "./payload-paths.js";

describe("a path", () => {
  it.each([
    ["tool.input.command", "tool:before"],
    ["tool.input.deep.er.0", "tool:before"],
    ["tool.args.command", "PreToolUse"],
    ["tool.name", "tool:*"],
    ["tool.name", "*"],
    ["tool.output.text", "tool:after"],
    ["result.text", "tool:after"],
    ["result", "tool:result"],
    ["result.text", "prompt:build"],
    ["status", "tool:after"],
    ["status", "tool:*"],
    ["session.parentId", "prompt:submit"],
    ["raw.anything.at.all", "session:start"],
    ["message.content.0.text", "agent:start"],
    ["worker.metadata.transcript", "worker:spawned"],
    ["command", "command:deploy"],
    ["raw_args", "command:*"],
    ["payload.text", "tui:message.delta"],
    ["session.id", "myapp:deployed"],
    ["prompt", "myapp:*"],
  ])("%s is in %s", (path, event) => {
    expect(checkPath(path, [event])).toBeUndefined();
  });

  it.each([
    ["tool.inputs.command", "tool:before", `"tool" has no "inputs". Did you mean "tool.input.command"?`],
    ["tool.inputs.command", "tool:*", `"tool" has no "inputs". Did you mean "tool.input.command"?`],
    ["tool.inputs.command", "*", `"tool" has no "inputs". Did you mean "tool.input.command"?`],
    ["tool.nmae", "tool:before", `Did you mean "tool.name"?`],
    ["Tool.name", "tool:before", `Did you mean "tool.name"?`],
    ["tools.input.command", "tool:before", `"tool:before" has no "tools". Did you mean "tool.input.command"?`],
    ["tool.category", "tool:before", `"tool" has no "category".`],
    ["tool.name.length", "tool:before", `"tool.name" is a text and has nothing in it.`],
    ["sesion.id", "prompt:submit", `Did you mean "session.id"?`],
    ["session.idd", "command:*", `Did you mean "session.id"?`],
    ["payload.tool.name", "tool:before", `Did you mean "tool.name"?`],
    ["event.payload.prompt", "prompt:submit", `Did you mean "prompt"?`],
    ["tool.name", "prompt:submit", `"prompt:submit" has no "tool".`],
    ["input.command", "tool:before", `Did you mean "tool.input.command"?`],
    ["command", "tool:before", `Did you mean "tool.input.command"?`],
    ["tool_name", "tool:before", `Did you mean "tool.name"?`],
    ["tool_call_id", "PreToolUse", `Did you mean "tool.callId"?`],
    ["turn_id", "tool:before", `Did you mean "turn.id"?`],
    ["exit_code", "tool:after", `Did you mean "tool.exitCode"?`],
    ["user_message", "pre_llm_call", `Did you mean "prompt"?`],
    ["iteration", "turn:before", `Did you mean "turn.iteration"?`],
    ["child_goal", "subagent_start", `Did you mean "worker.task"?`],
    ["promt", "prompt:submit", `Did you mean "prompt"?`],
    ["stauts", "tool:after", `Did you mean "status"?`],
    ["worker.metadat.x", "worker:spawned", `Did you mean "worker.metadata.x"?`],
  ])("%s is not in %s", (path, event, message) => {
    expect(checkPath(path, [event])).toMatchObject({ severity: "error", message: expect.stringContaining(message) });
  });

  it.each([
    ["tenant.id", "tool:before", `"tool:before" has no "tenant"`],
    ["version", "myapp:deployed", `Hookline does not know the payload of "myapp:deployed"`],
    ["tool.inputs.command", "myapp:deployed", "cannot be checked"],
    ["sesion.id", "myapp:*", `Did you mean "session.id"?`],
    ["session.idd", "myapp:deployed", `Did you mean "session.id"?`],
    ["tos.x", "*", "cannot be checked"],
    ["a.b", "*", "cannot be checked"],
    ["something.else", "mcp:call", `"mcp:call" has no "something"`],
  ])("%s of %s cannot be known", (path, event, message) => {
    expect(checkPath(path, [event])).toMatchObject({ severity: "warning", message: expect.stringContaining(message) });
  });

  it("is fine when one of several events has it", () => {
    expect(checkPath("tool.name", ["prompt:submit", "tool:before"])).toBeUndefined();
    expect(checkPath("tool.nmae", ["prompt:submit", "tool:before"])).toMatchObject({ message: expect.stringContaining('"tool.name"') });
    expect(checkPath("tool.nmae", ["myapp:x", "tool:before"])).toMatchObject({ severity: "error" });
    expect(checkPath("tool.name", ["no such event"])).toBeUndefined();
  });
});
