import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { AgentDecision, Translated } from "../shared/definition.js";
import { events } from "./events.js";
import { reply } from "./reply.js";
import { translate } from "./translate.js";

const payloads = JSON.parse(readFileSync(new URL("./fixtures/payloads.json", import.meta.url), "utf8"));
const NOTHING = { stdout: "", stderr: "", exitCode: 0 };
const ask = (name: string, more: object = {}) => translate(name, { ...payloads[name], ...more });

function decided(asked: Translated, more: Partial<AgentDecision>): AgentDecision {
  return { verdict: "pass", payload: asked.payload, modified: false, endLoop: false, injections: [], ...more };
}

function answered(name: string, more: Partial<AgentDecision>, asked = ask(name)): unknown {
  const { stdout, stderr, exitCode } = reply(name, decided(asked, more), asked);
  return { document: stdout === "" ? undefined : JSON.parse(stdout), stderr, exitCode };
}

function refused(reason: string, more: object = {}): object {
  return { document: { decision: "deny", reason, ...more }, stderr: `${reason}\n`, exitCode: 2 };
}

describe("reply", () => {
  it.each(Object.keys(events))("says nothing for a pass or an allow of %s", (name) => {
    const asked = ask(name);
    expect(reply(name, decided(asked, {}), asked)).toEqual(NOTHING);
    expect(reply(name, decided(asked, { verdict: "allow", reason: "fine" }), asked)).toEqual(NOTHING);
  });

  it.each(["BeforeTool", "BeforeAgent", "BeforeModel"])("denies a %s in a document and by exit code", (name) => {
    expect(answered(name, { verdict: "deny", reason: "no way" })).toEqual(refused("no way"));
  });

  it("never denies without a reason: an exit code without text does not block", () => {
    expect(reply("BeforeTool", decided(ask("BeforeTool"), { verdict: "deny", reason: " " }), ask("BeforeTool")).stderr).toMatch(/\w/);
  });

  it("turns an unanswered ask into a deny: `ask` would overrule a deny of the agent's own policy", () => {
    expect(answered("BeforeTool", { verdict: "ask", reason: "sure?" })).toEqual(refused("sure?"));
  });

  it("ends the loop beside a deny only", () => {
    expect(answered("BeforeTool", { verdict: "deny", reason: "over", endLoop: true })).toEqual(
      refused("over", { continue: false, stopReason: "over" }),
    );
    expect(answered("BeforeTool", { endLoop: true })).toEqual({ document: undefined, stderr: "", exitCode: 0 });
  });

  it("replaces the whole input", () => {
    const asked = ask("BeforeTool", { tool_input: { command: "echo hi", description: "say hi" } });
    const payload = { ...asked.payload, tool: { ...(asked.payload.tool as object), input: { command: "echo ho", description: "say hi" } } };
    const hookSpecificOutput = { hookEventName: "BeforeTool", tool_input: { command: "echo ho", description: "say hi" } };
    expect(answered("BeforeTool", { modified: true, payload }, asked)).toEqual({
      document: { hookSpecificOutput },
      stderr: "",
      exitCode: 0,
    });
  });

  it("gives a rewritten path back under the agent's own name", () => {
    const asked = ask("BeforeTool", { tool_name: "read_file", tool_input: { file_path: "/etc/passwd" } });
    const input = { path: "/srv/project/a", file_path: "/srv/project/a" };
    const payload = { ...asked.payload, tool: { ...(asked.payload.tool as object), input } };
    const hookSpecificOutput = { hookEventName: "BeforeTool", tool_input: { file_path: "/srv/project/a" } };
    expect(answered("BeforeTool", { modified: true, payload }, asked)).toMatchObject({ document: { hookSpecificOutput } });
  });

  it("refuses a call whose tool was exchanged, and a prompt that was rewritten", () => {
    const asked = ask("BeforeTool");
    const payload = { ...asked.payload, tool: { name: "Read", input: {} } };
    expect(answered("BeforeTool", { modified: true, payload }, asked)).toMatchObject({ document: { decision: "deny" }, exitCode: 2 });
    const prompted = ask("BeforeAgent");
    const other = { ...prompted.payload, prompt: "something else" };
    expect(answered("BeforeAgent", { modified: true, payload: other }, prompted)).toMatchObject({
      document: { decision: "deny" },
      exitCode: 2,
    });
  });

  it("rewrites the messages of a model request, but not their number", () => {
    const asked = ask("BeforeModel");
    const request = asked.payload.request as { messages: { role: string; content: string }[] };
    const changed = { ...request, messages: request.messages.map((message) => ({ ...message, content: "other" })) };
    const longer = { ...request, messages: [...request.messages, { role: "user", content: "more" }] };
    const modified = (to: object) => answered("BeforeModel", { modified: true, payload: { ...asked.payload, request: to } }, asked);
    expect(modified(changed)).toMatchObject({
      document: { hookSpecificOutput: { hookEventName: "BeforeModel", llm_request: changed } },
      exitCode: 0,
    });
    expect(modified(longer)).toMatchObject({ document: { decision: "deny" }, exitCode: 2 });
  });

  it.each(["SessionStart", "BeforeAgent", "AfterTool"])("tells the model on %s", (name) => {
    const document = { hookSpecificOutput: { hookEventName: name, additionalContext: "one\n\ntwo" } };
    expect(answered(name, { injections: ["one", " ", "two"] })).toEqual({ document, stderr: "", exitCode: 0 });
  });

  it("tells the model of a deny that comes too late", () => {
    expect(answered("AfterTool", { verdict: "deny", reason: "no way" })).toMatchObject({
      document: { hookSpecificOutput: { additionalContext: "no way" } },
      exitCode: 0,
    });
  });

  it("makes the agent continue instead of finishing", () => {
    const again = { reason: "run the tests", by: "rule" };
    expect(answered("AfterAgent", { again })).toEqual({ document: { decision: "deny", reason: "run the tests" }, stderr: "", exitCode: 0 });
    expect(answered("AfterAgent", { verdict: "deny", reason: "no" })).toMatchObject({ document: undefined });
  });

  it.each(["SessionEnd", "PreCompress", "Notification", "AfterModel", "BeforeToolSelection", "AfterEverything"])(
    "has no words for %s",
    (name) => {
      const asked = ask(name);
      expect(reply(name, decided(asked, { verdict: "deny", reason: "no", injections: ["x"], endLoop: true }), asked)).toEqual(NOTHING);
    },
  );
});
