import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { eventNamed, isFromCopilot } from "./spelling.js";

const read = (path: string): { [event: string]: object } => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));

describe("isFromCopilot", () => {
  it.each(
    Object.entries({ ...read("./fixtures/camel-case.json"), ...read("./fixtures/pascal-case.json"), ...read("./fixtures/subagent.json") }),
  )("knows a %s of Copilot CLI", (_, payload) => expect(isFromCopilot(payload)).toBe(true));

  it.each(Object.entries(read("../claude-code/fixtures/captured.json")))("leaves Claude Code its %s", (_, payload) =>
    expect(isFromCopilot(payload)).toBe(false),
  );

  it("is false for malformed payloads", () => {
    for (const rubbish of [undefined, null, "x", [], {}, { timestamp: 1 }, { session_id: "s" }]) expect(isFromCopilot(rubbish)).toBe(false);
  });
});

describe("eventNamed", () => {
  it("knows both spellings and nothing else", () => {
    expect([eventNamed("agentStop"), eventNamed("Stop"), eventNamed("UserPromptSubmit")]).toEqual([
      "agentStop",
      "agentStop",
      "userPromptSubmitted",
    ]);
    expect([eventNamed("stop"), eventNamed("toString"), eventNamed("")]).toEqual([undefined, undefined, undefined]);
  });
});
