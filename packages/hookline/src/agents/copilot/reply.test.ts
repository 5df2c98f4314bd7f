import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { AgentDecision, Translated } from "../shared/definition.js";
import { events } from "./events.js";
import { reply } from "./reply.js";
import { translate } from "./translate.js";

const fixture = (name: string) => JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8"));
const payloads = { ...fixture("camel-case"), ...fixture("pascal-case") };
const NOTHING = { stdout: "", stderr: "", exitCode: 0 };
const ask = (name: string, more: object = {}) => translate(name, { ...payloads[name], ...more });

function decided(asked: Translated, more: Partial<AgentDecision>): AgentDecision {
  return { verdict: "pass", payload: asked.payload, modified: false, endLoop: false, injections: [], ...more };
}

function answered(name: string, more: Partial<AgentDecision>, asked = ask(name)): unknown {
  const { stdout, stderr, exitCode } = reply(name, decided(asked, more), asked);
  return { document: stdout === "" ? undefined : JSON.parse(stdout), stderr, exitCode };
}

function withInput(asked: Translated, input: object): Partial<AgentDecision> {
  return { modified: true, payload: { ...asked.payload, tool: { ...(asked.payload.tool as object), input } } };
}

const said = (document: object) => ({ document, stderr: "", exitCode: 0 });
const refused = (reason: string, document: object) => ({ document, stderr: `${reason}\n`, exitCode: 2 });

describe("reply", () => {
  it.each([...Object.keys(events), ...Object.keys(fixture("pascal-case"))])("says nothing for a pass of %s", (name) => {
    const asked = ask(name);
    expect(reply(name, decided(asked, {}), asked)).toEqual(NOTHING);
  });

  it.each(["preToolUse", "PreToolUse"])("denies, asks and allows a %s in the words that both spellings hear", (name) => {
    const no = { permissionDecision: "deny", permissionDecisionReason: "no way" };
    expect(answered(name, { verdict: "deny", reason: "no way" })).toEqual(refused("no way", no));
    expect(answered(name, { verdict: "ask", reason: "sure?" })).toEqual(
      said({ permissionDecision: "ask", permissionDecisionReason: "sure?" }),
    );
    expect(answered(name, { verdict: "allow" })).toEqual(said({ permissionDecision: "allow" }));
  });

  it("has no way to end the loop, and says nothing that would let the tool run", () => {
    const no = { permissionDecision: "deny", permissionDecisionReason: "over" };
    expect(answered("preToolUse", { verdict: "deny", reason: "over", endLoop: true })).toEqual(refused("over", no));
  });

  it.each(["preToolUse", "PreToolUse"])("rewrites a %s without skipping the agent's own prompt", (name) => {
    const asked = ask(name);
    const input = { command: "echo ho", description: "run a command" };
    expect(answered(name, withInput(asked, input), asked)).toEqual(said({ modifiedArgs: input }));
    const allowed = { ...withInput(asked, input), verdict: "allow" as const };
    expect(answered(name, allowed, asked)).toEqual(said({ permissionDecision: "allow", modifiedArgs: input }));
  });

  it("refuses a call whose tool was exchanged", () => {
    const asked = ask("preToolUse");
    const payload = { ...asked.payload, tool: { name: "Read", input: {} } };
    expect(answered("preToolUse", { modified: true, payload }, asked)).toMatchObject({
      document: { permissionDecision: "deny" },
      exitCode: 2,
    });
  });

  it.each(["permissionRequest", "PermissionRequest"])("answers a %s", (name) => {
    expect(answered(name, { verdict: "allow" })).toEqual(said({ behavior: "allow" }));
    expect(answered(name, { verdict: "deny", reason: "no way" })).toEqual(refused("no way", { behavior: "deny", message: "no way" }));
    // Under --allow-all-tools the user would not be asked.
    expect(answered(name, { verdict: "ask", reason: "sure?" })).toEqual(refused("sure?", { behavior: "deny", message: "sure?" }));
  });

  it.each(["pass", "allow"] as const)("refuses a permission for a call that was rewritten: %s", (verdict) => {
    const asked = ask("permissionRequest");
    const rewritten = { ...withInput(asked, { command: "echo ho" }), verdict };
    expect(answered("permissionRequest", rewritten, asked)).toMatchObject({ document: { behavior: "deny" }, exitCode: 2 });
  });

  it.each(["userPromptSubmitted", "UserPromptSubmit"])("blocks and rewrites a %s", (name) => {
    const asked = ask(name);
    expect(answered(name, { verdict: "deny", reason: "no way" })).toEqual(refused("no way", { decision: "block", reason: "no way" }));
    expect(answered(name, { verdict: "ask", reason: "sure?" })).toEqual(refused("sure?", { decision: "block", reason: "sure?" }));
    const rewritten = (prompt: unknown) => answered(name, { modified: true, payload: { ...asked.payload, prompt } }, asked);
    expect(rewritten("something else")).toEqual(said({ modifiedPrompt: "something else" }));
    // Copilot CLI ignores these, and would send the prompt as it was.
    for (const prompt of ["", 1, undefined]) expect(rewritten(prompt)).toMatchObject({ document: { decision: "block" }, exitCode: 2 });
  });

  it.each([
    "sessionStart",
    "SessionStart",
    "userPromptSubmitted",
    "preToolUse",
    "postToolUse",
    "PostToolUse",
    "postToolUseFailure",
    "subagentStart",
    "notification",
  ])("tells the model on %s", (name) => {
    expect(answered(name, { injections: ["one", " ", "two"] })).toEqual(said({ additionalContext: "one\n\ntwo" }));
  });

  it("tells the model of a deny that comes too late", () => {
    expect(answered("postToolUse", { verdict: "deny", reason: "no way" })).toEqual(said({ additionalContext: "no way" }));
  });

  it.each(["agentStop", "Stop"])("makes the agent continue at a %s", (name) => {
    expect(answered(name, { again: { reason: "run the tests", by: "rule" } })).toEqual(
      said({ decision: "block", reason: "run the tests" }),
    );
    expect(answered(name, { verdict: "deny", reason: "no" })).toMatchObject({ document: undefined, exitCode: 0 });
  });

  it.each(["sessionEnd", "errorOccurred", "subagentStop", "preCompact", "preMcpToolCall", "userPromptTransformed", "postResult"])(
    "has no words for %s",
    (name) => {
      const asked = ask(name);
      expect(reply(name, decided(asked, { verdict: "deny", reason: "no", injections: ["x"], endLoop: true }), asked)).toEqual(NOTHING);
    },
  );
});
