import { describe, expect, it } from "vitest";
import { type Bus, createBus } from "../../bus/bus.js";
import { allow, ask, modify } from "../../catalog/outcomes.js";
import { guardClaudeAgent } from "./guard-claude-agent.js";

// The SDK itself is driven by npm run test:sdks.
const input = { session_id: "s1", tool_name: "Bash", tool_use_id: "c1", tool_input: { command: "make" }, prompt: "go on" };

function call(guard: ReturnType<typeof guardClaudeAgent>, event: string): Promise<object> | undefined {
  return guard.hooks()[event]?.[0]?.hooks[0]?.(input, undefined, { signal: new AbortController().signal });
}

function rewriting(options: Parameters<typeof createBus>[0] = {}): Bus {
  const bus = createBus(options);
  bus.on("tool:before", ({ payload }) => modify({ ...payload, tool: { ...payload.tool, input: { command: "make -n" } } }), {
    stage: "rewrite",
  });
  return bus;
}

it("leaves a rewritten call to the SDK's own permissions unless a guard allows it", async () => {
  const rewritten = { hookEventName: "PreToolUse", updatedInput: { command: "make -n" } };
  const bus = rewriting();
  expect(await call(guardClaudeAgent(bus), "PreToolUse")).toEqual({ hookSpecificOutput: rewritten });
  bus.on("tool:before", () => allow());
  expect(await call(guardClaudeAgent(bus), "PreToolUse")).toEqual({ hookSpecificOutput: { ...rewritten, permissionDecision: "allow" } });
});

describe("guardClaudeAgent on a bus that leaves questions to the SDK", () => {
  it("passes on the rewrite together with the question, and does not record the call as blocked", async () => {
    const bus = rewriting({ onAsk: "return" });
    bus.on("tool:before", () => ask("sure?"));
    const ended: unknown[] = [];
    bus.on("tool:after", ({ payload }) => void ended.push(payload));
    expect(await call(guardClaudeAgent(bus), "PreToolUse")).toMatchObject({
      hookSpecificOutput: { permissionDecision: "ask", permissionDecisionReason: "sure?", updatedInput: { command: "make -n" } },
    });
    expect(ended).toEqual([]);
  });
});

it("tells prompts in the session that the application gave", async () => {
  const bus = createBus();
  const sessions: unknown[] = [];
  bus.on("prompt:submit", ({ payload }) => void sessions.push(payload.session));
  await call(guardClaudeAgent(bus, { session: { id: "mine" } }), "UserPromptSubmit");
  expect(sessions).toEqual([{ id: "mine" }]);
});
