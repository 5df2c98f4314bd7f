import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../test/support/test-folder.js";
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
  {
    agent: "qwen",
    file: "session-0.24.4",
    version: "0.24.4",
    events: { "prompt:submit": 1, "tool:before": 3, "tool:after": 3, "llm:after": 4 },
  },
  {
    agent: "pi",
    file: "session-0.74.2",
    version: undefined,
    events: { "prompt:submit": 1, "tool:before": 3, "tool:after": 3, "llm:after": 4 },
  },
  {
    agent: "kimi",
    file: "session-2.1.0",
    version: undefined,
    events: { "prompt:submit": 1, "tool:before": 3, "tool:after": 3, "llm:after": 4 },
  },
  {
    agent: "cline",
    file: "session-3.0.65",
    version: "3.0.65",
    events: { "prompt:submit": 1, "tool:before": 3, "tool:after": 3, "llm:after": 4 },
  },
];

/** Where the session's name is a part of the path, and what is beside the file. */
const paths: { readonly [agent: string]: string } = {
  kimi: "/sessions/wd_project/session_79ca3fc3-578a-421d-9ec2-0fe78ea2585b/agents/main/wire.jsonl",
  cline: "/sessions/1794964445563_5towe/1794964445563_5towe.messages.json",
};
const beside: { readonly [relative: string]: string } = {
  "../.project_root": "/home/ann/project\n",
  "../../state.json": '{"cwd":"/home/ann/project"}',
  "1794964445563_5towe.json": '{"cwd":"/home/ann/project","metadata":{"sessionHistoryOrigin":{"version":"3.0.65"}}}',
};

function read(agent: string, file: string) {
  const { sessions } = agents.find(({ id }) => id === agent) ?? {};
  if (sessions === undefined) throw new Error(`${agent} has no sessions.`);
  const path = fileURLToPath(new URL(`../../src/agents/${agent}/fixtures/${file}.jsonl`, import.meta.url));
  const reader = sessions.open({ path: paths[agent] ?? path, beside: (relative) => beside[relative] });
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

it.each([
  [
    "pi",
    {
      type: "message",
      message: { role: "assistant", content: [], usage: { input: 10, output: 5, cacheRead: 700, cacheWrite: 30, cost: { total: 0.5 } } },
    },
    { cacheWriteTokens: 30, costUsd: 0.5 },
  ],
  [
    "kimi",
    { type: "usage.record", usage: { inputOther: 10, output: 5, inputCacheRead: 700, inputCacheCreation: 30 } },
    { cacheWriteTokens: 30 },
  ],
  [
    "qwen",
    {
      type: "assistant",
      usageMetadata: { promptTokenCount: 710, candidatesTokenCount: 5, cachedContentTokenCount: 700, thoughtsTokenCount: 2 },
    },
    { reasoningTokens: 2 },
  ],
])("the session file of %s says what came from the cache", (agent, record, more) => {
  const { sessions } = agents.find(({ id }) => id === agent) ?? expect.fail();
  const reader = sessions?.open({ path: paths[agent] ?? "/session.jsonl", beside: () => undefined });
  const [event] = reader?.read({ ...record, timestamp: "2026-11-18T00:00:00.000Z", time: 0 }) ?? [];
  expect(event?.payload).toMatchObject({ usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 700, ...more } });
});

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
      expect(payload).toMatchObject({ session: { id: expect.stringMatching(/^[\w-]{19,}$/) }, agent: { platform: agent } });
      expect(payload).not.toHaveProperty("raw");
      expect(payload).not.toHaveProperty("unreadable");
      expect(new Date(at as string | number).getTime()).toBeGreaterThan(0);
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
      expect(payload.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  });
});

it("reads the calls of a subagent of Kimi Code as those of one, in the session that began it", () => {
  const path = "/sessions/wd/s1/agents/agent-1/wire.jsonl";
  const reader = agents.find(({ id }) => id === "kimi")?.sessions?.open({ path, beside: () => undefined });
  const call = { type: "tool.call", toolCallId: "c1", name: "Bash", args: { command: "ls" } };
  expect(reader?.read({ type: "context.append_loop_event", event: call, time: 1 })?.[0]?.payload).toMatchObject({
    session: { id: "s1" },
    agent: { platform: "kimi", id: "agent-1" },
  });
  expect(reader?.read({ type: "turn.prompt", origin: { kind: "user" }, input: [], time: 1 })).toEqual([]);
  expect(reader?.read({ type: "hologram", time: 1 })).toBeUndefined();
});

it("takes Cline's messages out of its document", async () => {
  const path = join(testFolder(), "s.messages.json");
  writeFileSync(path, JSON.stringify({ messages: [{ role: "user", id: "m1", content: [] }] }));
  const found = agents.find(({ id }) => id === "cline")?.sessions?.records?.({ path, beside: () => undefined });
  const messages: object[] = [];
  for await (const message of found ?? []) messages.push(message);
  expect(messages).toEqual([{ text: '{"role":"user","id":"m1","content":[]}', bytes: 38 }]);
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
