import { describe, expect, it } from "vitest";
import { agents } from "../agents.js";
import { canaryCall } from "../attach/canary.js";
import { codex } from "../codex/definition.js";
import type { AgentDialect, NativeEvent } from "../shared/definition.js";
import { denialsOf, unheardOf } from "./denials.js";

const events: { [native: string]: NativeEvent } = {
  PreToolUse: { event: "tool:before", can: ["block", "modify"] },
  UserPromptSubmit: { event: "prompt:submit", can: ["block"] },
  PostToolUse: { event: "tool:after", can: ["inject"] },
  Stop: { event: "finish:before", can: ["block", "again"] },
  WorktreeCreate: { event: "worktree:create", can: ["block"], leftAlone: "it would replace what the agent does" },
  Mute: { event: "mute:before", can: ["block"] },
};

const dialect: AgentDialect = {
  ...codex,
  events,
  translate: (native) => ({ event: events[native]?.event ?? "", payload: { native } }),
  reply: (native, { verdict, reason }, asked) => ({
    stdout: native === "Mute" ? "" : JSON.stringify({ verdict, reason, native, asked: asked.payload.native }),
    stderr: "",
    exitCode: 0,
  }),
};

describe("denialsOf", () => {
  it("has the agent's own deny for each event that a hook can block, and for no other", () => {
    const denials = denialsOf(dialect);
    // Not Stop: an agent that may not stop never ends.
    expect(Object.keys(denials)).toEqual(["PreToolUse", "UserPromptSubmit"]);
    expect(JSON.parse(denials.PreToolUse?.stdout ?? "")).toEqual({
      verdict: "deny",
      reason: expect.stringContaining("hookline up"),
      native: "PreToolUse",
      asked: "PreToolUse",
    });
  });
});

describe("unheardOf", () => {
  const versions = agents.flatMap((agent) =>
    agent.contracts.map(({ events: row, to = "any version" }) => ({ name: `${agent.id} ${to}`, agent, row })),
  );

  it.each(versions)("waits for the answer to the call of --check: $name", ({ agent, row }) => {
    const { event } = canaryCall({ ...agent, events: row });
    expect(unheardOf({ ...agent, events: row })).not.toContain(event);
  });
});
