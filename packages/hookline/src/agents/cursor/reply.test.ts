import { describe, expect, it } from "vitest";
import { agents } from "../agents.js";
import { passesOf } from "../client/denials.js";
import { type AgentDecision, PASS } from "../shared/definition.js";
import { cursor } from "./definition.js";
import { reply } from "./reply.js";
import { translate } from "./translate.js";

const call = {
  conversation_id: "c",
  workspace_roots: ["/srv"],
  tool_name: "Shell",
  tool_input: { command: "rm -rf /" },
  tool_use_id: "t",
};
const asked = translate("preToolUse", call);
const given = (decision: Partial<AgentDecision>) => ({ ...PASS, payload: asked.payload, ...decision }) as AgentDecision;
const said = (native: string, decision: Partial<AgentDecision>) => {
  const { stdout, ...rest } = reply(native, given(decision), asked);
  return { ...rest, document: stdout === "" ? undefined : (JSON.parse(stdout) as unknown) };
};

describe("Cursor's reply", () => {
  it("says a pass, because silence may deny", () => {
    expect(said("preToolUse", {})).toEqual({ document: { permission: "allow" }, stderr: "", exitCode: 0 });
    expect(said("subagentStart", {})).toMatchObject({ document: { permission: "allow" }, exitCode: 0 });
    expect(said("beforeSubmitPrompt", {})).toMatchObject({ document: { continue: true }, exitCode: 0 });
    expect(said("postToolUse", {})).toMatchObject({ document: undefined, exitCode: 0 });
    // Also without the hub, if it is not strict. Only Antigravity CLI needs it, too.
    expect(Object.keys(passesOf(cursor))).toEqual(["beforeSubmitPrompt", "preToolUse", "subagentStart"]);
    expect(agents.filter((agent) => Object.keys(passesOf(agent)).length > 0).map(({ id }) => id)).toEqual(["cursor", "antigravity"]);
  });

  it.each(["deny", "ask"] as const)("denies for %s, with the document and the exit code", (verdict) => {
    expect(said("preToolUse", { verdict, reason: "no" })).toEqual({
      document: { permission: "deny", user_message: "no", agent_message: "no" },
      stderr: "no\n",
      exitCode: 2,
    });
    expect(said("beforeSubmitPrompt", { verdict, reason: "no" })).toMatchObject({
      document: { continue: false, user_message: "no" },
      exitCode: 2,
    });
  });

  it("carries a new input, and refuses any other rewrite", () => {
    const tool = { ...(asked.payload.tool as object), input: { command: "ls" } };
    const rewritten = { modified: true, payload: { ...asked.payload, tool } };
    expect(said("preToolUse", rewritten)).toMatchObject({
      document: { permission: "allow", updated_input: { command: "ls" } },
      exitCode: 0,
    });
    expect(said("preToolUse", { modified: true, payload: { ...asked.payload, cwd: "/" } })).toMatchObject({ exitCode: 2 });
    expect(said("preToolUse", { ...rewritten, verdict: "deny" })).toMatchObject({ document: { permission: "deny" }, exitCode: 2 });
  });

  it("tells the model after a call, and lets it continue at the end", () => {
    expect(said("postToolUse", { injections: ["a"] }).document).toEqual({ additional_context: "a" });
    expect(said("postToolUseFailure", { injections: ["a"] }).document).toBeUndefined();
    expect(said("stop", { again: { reason: "more", by: "r" } }).document).toEqual({ followup_message: "more" });
    expect(said("workspaceOpen", { verdict: "deny" })).toMatchObject({ document: undefined, exitCode: 0 });
    expect(said("toString", { verdict: "deny" })).toMatchObject({ document: undefined, exitCode: 0 });
  });
});
