import { describe, expect, it } from "vitest";
import { claudeCode } from "./claude-code/definition.js";
import { codex } from "./codex/definition.js";
import { copilot } from "./copilot/definition.js";
import { gemini } from "./gemini/definition.js";
import type { AgentDecision, AgentDialect } from "./shared/definition.js";

const PASS: AgentDecision = {
  verdict: "pass",
  reason: undefined,
  payload: undefined,
  modified: false,
  endLoop: false,
  injections: [],
  again: undefined,
};

/** What each agent's hook is told after a call, as captured. */
const calls: readonly (readonly [AgentDialect, native: string, payload: object])[] = [
  [
    claudeCode,
    "PostToolUse",
    { tool_name: "Bash", tool_input: { command: "cat a" }, tool_response: { stdout: "secret", stderr: "", interrupted: false } },
  ],
  [codex, "PostToolUse", { tool_name: "Bash", tool_input: { command: "cat a" }, tool_response: "secret" }],
  [
    gemini,
    "AfterTool",
    { tool_name: "run_shell_command", tool_input: {}, tool_response: { llmContent: "secret", returnDisplay: "secret" } },
  ],
  [copilot, "postToolUse", { toolName: "bash", toolArgs: {}, toolResult: { resultType: "success", textResultForLlm: "secret" } }],
];

function replies(value: unknown, ...injections: string[]) {
  return Object.fromEntries(
    calls.map(([dialect, native, payload]) => {
      const asked = dialect.translate(native, payload);
      return [dialect.id, dialect.reply(native, { ...PASS, injections, output: { value } }, asked)] as const;
    }),
  );
}

describe("another output of a tool", () => {
  it("is told to each agent in the field that replaces the output", () => {
    expect(replies("X")).toEqual({
      "claude-code": {
        stdout:
          '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"X","stderr":"","interrupted":false,"isImage":false}}}',
        stderr: "",
        exitCode: 0,
      },
      codex: { stdout: "", stderr: "X\n", exitCode: 2 },
      gemini: { stdout: '{"decision":"deny","reason":"X"}', stderr: "X\n", exitCode: 2 },
      copilot: { stdout: '{"modifiedResult":{"resultType":"success","textResultForLlm":"X"}}', stderr: "", exitCode: 0 },
    });
  });

  it("has context beside it, or below it if there is no other field", () => {
    const told = replies("X", "Mind this.");
    expect(JSON.parse(told["claude-code"]?.stdout ?? "").hookSpecificOutput.additionalContext).toBe("Mind this.");
    expect(JSON.parse(told.copilot?.stdout ?? "").additionalContext).toBe("Mind this.");
    expect(told.codex?.stderr).toBe("X\n\nMind this.\n");
    expect(JSON.parse(told.gemini?.stdout ?? "").reason).toBe("X\n\nMind this.");
  });

  it("is never blank, and never the original: Codex would show that", () => {
    for (const value of ["", "  \n", undefined, []]) {
      const told = replies(value);
      expect(told.codex?.stderr.trim()).not.toBe("");
      expect(JSON.stringify(told)).not.toContain("secret");
    }
  });

  it("is the part that the model reads of the agents' own shapes", () => {
    const blocks = {
      content: [
        { type: "text", text: "a" },
        { type: "image", data: "…" },
        { type: "text", text: "b" },
      ],
    };
    expect(replies(blocks).codex?.stderr).toBe("a\nb\n");
    expect(replies({ llmContent: [{ text: "a" }], returnDisplay: "shown" }).gemini?.stderr).toBe("a\n");
    expect(JSON.parse(replies({ resultType: "success", textResultForLlm: "a" }).copilot?.stdout ?? "")).toEqual({
      modifiedResult: { resultType: "success", textResultForLlm: "a" },
    });
    expect(replies({ rows: 3 }).codex?.stderr).toBe('{"rows":3}\n');
  });

  it("is not sent after a failed call if the agent has no field for it", () => {
    for (const [dialect, native, payload] of [
      [claudeCode, "PostToolUseFailure", { tool_name: "Bash", tool_input: {}, error: "secret" }],
      [copilot, "postToolUseFailure", { toolName: "bash", toolArgs: {}, error: "secret" }],
    ] as const) {
      const reply = dialect.reply(native, { ...PASS, output: { value: "X" } }, dialect.translate(native, payload));
      expect(reply).toEqual({ stdout: "", stderr: "", exitCode: 0 });
    }
  });
});

it("each agent says in which field of its payload the output is, in every spelling", () => {
  const spelled = [
    ...calls,
    [copilot, "PostToolUse", { tool_name: "bash", tool_input: {}, tool_result: { textResultForLlm: "secret" } }],
  ] as const;
  for (const [{ id, outputFields }, native, payload] of spelled) {
    const holding = Object.entries(payload).flatMap(([field, value]) => (JSON.stringify(value).includes("secret") ? [field] : []));
    expect([id, native, holding.filter((field) => !outputFields.includes(field))]).toEqual([id, native, []]);
  }
});
