import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { agents } from "./agents.js";
import type { Json } from "./shared/native-payload.js";
import type { PastEvent } from "./shared/sessions.js";

/** Written by the real programs, with long texts cut. */
const files = [
  {
    agent: "claude-code",
    file: "session-2.1.325",
    version: "2.1.325",
    events: { "prompt:submit": 2, "tool:before": 5, "tool:after": 5, "llm:after": 7, "turn:end": 2 },
  },
  {
    agent: "claude-code",
    file: "session-subagent-2.1.325",
    version: "2.1.325",
    events: { "tool:before": 2, "tool:after": 2, "llm:after": 3 },
  },
  {
    agent: "codex",
    file: "session-0.166.0",
    version: "0.166.0",
    events: { "prompt:submit": 2, "tool:before": 4, "tool:after": 4, "llm:after": 5 },
  },
  {
    agent: "gemini",
    file: "session-0.61.0",
    version: undefined,
    events: { "prompt:submit": 2, "tool:before": 4, "tool:after": 4, "llm:after": 5 },
  },
  {
    agent: "copilot",
    file: "session-1.0.102",
    version: "1.0.102",
    events: { "prompt:submit": 2, "tool:before": 4, "tool:after": 4, "llm:after": 5 },
  },
];

function read(agent: string, file: string) {
  const { sessions } = agents.find(({ id }) => id === agent) ?? {};
  if (sessions === undefined) throw new Error(`${agent} has no sessions.`);
  const path = fileURLToPath(new URL(`../../src/agents/${agent}/fixtures/${file}.jsonl`, import.meta.url));
  const reader = sessions.open({ path, beside: (relative) => (relative === "../.project_root" ? "/home/ann/project\n" : undefined) });
  const unknown: Json[] = [];
  const events: PastEvent[] = [];
  for (const line of readFileSync(path, "utf8").trimEnd().split("\n")) {
    const record = JSON.parse(line) as Json;
    const found = reader.read(record);
    if (found === undefined) unknown.push(record);
    else events.push(...found);
  }
  events.push(...(reader.end?.() ?? []));
  return { reader, events, unknown };
}

describe.each(files)("a session file of $agent, $file", ({ agent, file, version, events: expected }) => {
  const { reader, events, unknown } = read(agent, file);

  it("has no line of an unknown kind, and tells its version", () => {
    expect(unknown).toEqual([]);
    expect(reader.version).toBe(version);
  });

  it("becomes events with keys of their own", () => {
    const counts: { [event: string]: number } = {};
    for (const { event } of events) counts[event] = (counts[event] ?? 0) + 1;
    expect(counts).toEqual(expected);
    expect(new Set(events.map(({ key }) => key)).size).toBe(events.length);
    for (const { payload, at } of events) {
      expect(payload).toMatchObject({ session: { id: expect.stringMatching(/^[\w-]{36}$/) }, agent: { platform: agent } });
      expect(payload).not.toHaveProperty("raw");
      expect(payload).not.toHaveProperty("unreadable");
      expect(Date.parse(String(at))).toBeGreaterThan(0);
    }
  });

  it("has calls in the words that rules use", () => {
    const [first] = events.filter(({ event }) => event === "tool:before");
    expect(first?.payload).toMatchObject({
      cwd: "/home/ann/project",
      tool: { name: "Bash", input: { command: expect.stringMatching(/^echo hi/) } },
    });
    const [ended] = events.filter(({ event }) => event === "tool:after");
    expect(JSON.stringify(ended?.payload.tool)).toContain("hi");
  });

  it("has the tokens of each request", () => {
    for (const { payload } of events.filter(({ event }) => event === "llm:after"))
      expect(payload.usage).toEqual({ inputTokens: 10, outputTokens: 5 });
  });
});

it("reads the cost that Claude Code has written, as what came on top", () => {
  const costs = read("claude-code", "session-2.1.325").events.flatMap(
    ({ payload }) => (payload.usage as { costUsd?: number } | undefined)?.costUsd ?? [],
  );
  expect(costs.map((cost) => cost.toFixed(5))).toEqual(["0.00126", "0.00014"]);
});

it("reads a patch, a shell list and other spellings of older versions of Codex", () => {
  const reader = agents.find(({ id }) => id === "codex")?.sessions?.open({ path: "", beside: () => undefined });
  const at = "2026-01-01T00:00:00.000Z";
  const item = (payload: Json) => reader?.read({ timestamp: at, type: "response_item", payload })?.[0]?.payload;
  reader?.read({ timestamp: at, type: "session_meta", payload: { id: "s1", cwd: "/w", cli_version: "0.50.0" } });
  expect(
    item({
      type: "custom_tool_call",
      name: "apply_patch",
      call_id: "c1",
      input: "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch",
    }),
  ).toMatchObject({
    tool: { name: "Edit", input: { path: "a.txt" } },
  });
  expect(item({ type: "function_call", name: "shell", call_id: "c2", arguments: '{"command":["bash","-lc","ls"]}' })).toMatchObject({
    tool: { name: "Bash", input: { command: "bash -lc ls" } },
  });
  expect(item({ type: "function_call", name: "shell", call_id: "c3", arguments: "not json" })).toMatchObject({ tool: { name: "Bash" } });
  const [prompt] = reader?.read({ timestamp: at, type: "event_msg", payload: { type: "user_message", message: "hello" } }) ?? [];
  expect(prompt).toMatchObject({ event: "prompt:submit", payload: { prompt: "hello", session: { id: "s1" } } });
  const usage = { type: "token_count", info: { last_token_usage: { input_tokens: 3, output_tokens: 4 } } };
  expect(reader?.read({ timestamp: at, type: "event_msg", payload: usage })?.[0]?.payload.usage).toEqual({
    inputTokens: 3,
    outputTokens: 4,
  });
  expect(reader?.read({ timestamp: at, type: "something_new", payload: {} })).toBeUndefined();
});
