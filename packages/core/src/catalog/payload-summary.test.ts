import { describe, expect, it } from "vitest";
import { summarizeInput, summarizePayload } from "./payload-summary.js";

describe("summarizePayload", () => {
  it.each([
    ["Bash ls", { tool: { name: "Bash", input: { command: "ls" } } }],
    ["Bash ls → ok in 12 ms", { tool: { name: "Bash", input: { command: "ls" }, durationMs: 12.4 }, status: "ok" }],
    ["Bash → error no such file", { tool: { name: "Bash", input: {} }, status: "error", error: "no such file" }],
    ["Bash ls → blocked", { tool: { name: "Bash", input: { command: "ls" }, durationMs: 1 }, status: "blocked", error: "no" }],
    [
      "Bash git push: ask-first asks",
      { approval: { by: "ask-first", payload: { tool: { name: "Bash", input: { command: "git push" } } } } },
    ],
    ["log-reader: find it", { worker: { name: "log-reader", task: "find it" } }],
    ["hello", { session: { id: "s" }, prompt: "hello" }],
    ["it broke", { error: { message: "it broke" } }],
    ["1 tokens in, 2 out, $0.5", { usage: { inputTokens: 1, outputTokens: 2, costUsd: 0.5 } }],
    ["? tokens in, ? out", { usage: {} }],
    ["other 1", { session: { id: "s" }, other: [1] }],
    ["", { session: { id: "s" } }],
  ])("says %s", (text, payload) => {
    expect(summarizePayload(payload)).toBe(text);
  });

  it("bears any JSON in any place", () => {
    const odd: readonly unknown[] = [null, undefined, 3, true, "text", [], {}, { toString: null }, { toJSON: 1 }, { constructor: null }];
    for (const value of odd) {
      expect(typeof summarizePayload(value)).toBe("string");
      for (const field of ["tool", "approval", "worker", "error", "usage", "prompt", "status"])
        for (const inner of ["name", "input", "inputTokens", "costUsd", "by", "message", "payload", "task"]) {
          expect(typeof summarizePayload({ [field]: value })).toBe("string");
          expect(typeof summarizePayload({ [field]: { [inner]: value }, status: value, error: value })).toBe("string");
        }
    }
  });
});

describe("summarizeInput", () => {
  it("takes the field that says what it is about, else all", () => {
    expect(summarizeInput({ description: "list", command: "ls" })).toBe("ls");
    expect(summarizeInput({ other: 1 })).toBe('{"other":1}');
    expect([undefined, {}, "plain", 3].map(summarizeInput)).toEqual(["", "", "plain", "3"]);
  });
});
