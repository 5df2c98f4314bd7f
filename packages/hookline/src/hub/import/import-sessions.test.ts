import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Envelope } from "@hookline/core/sinks";
import { encodeEnvelope } from "@hookline/core/sinks";
import { openStore } from "hookline/internal";
import { describe, expect, it, onTestFinished } from "vitest";
import { claudeCode } from "../../agents/claude-code/definition.js";
import type { AgentSessions } from "../../agents/shared/sessions.js";
import type { FeedConfig } from "../../config/config.js";
import { createIngest } from "../ingest/ingest.js";
import type { Arrival } from "../parts.js";
import { createBatchMaker } from "../sinks/batches.js";
import { importSessions } from "./import-sessions.js";
import { createImports, isOnlyInFile } from "./imports.js";

const agent = { id: claudeCode.id, title: claudeCode.title, sessions: claudeCode.sessions as AgentSessions };
const fixture = fileURLToPath(new URL("../../../src/agents/claude-code/fixtures/session-2.1.325.jsonl", import.meta.url));
const SESSION = "13c82d6c-bd0c-4527-be93-00a2694c7354";
const TOKEN = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";

const sink: FeedConfig = {
  ...{ name: "s", redact: [], redactSecrets: true, maxPayloadBytes: 1_000, from: "start", timeoutMs: 1_000 },
  batch: { maxCount: 9, maxBytes: 9_999, maxDelayMs: 0 },
  retry: { maxAttempts: 1, baseMs: 1, maxMs: 1, maxAfterMs: 1 },
};

function homeWith(files: { readonly [name: string]: string | Buffer } = {}) {
  const home = mkdtempSync(join(tmpdir(), "hl-import-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, ".claude", "projects", "p");
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return { home, folder, env: { HOME: home } };
}

function line(record: object): string {
  return JSON.stringify({ sessionId: "s1", cwd: "/w", timestamp: "2026-01-02T03:04:05.678Z", ...record });
}

function call(id: string, command: string): string {
  return line({ type: "assistant", message: { id: `m-${id}`, content: [{ type: "tool_use", id, name: "Bash", input: { command } }] } });
}

async function read(env: { HOME: string }, since = 0) {
  const events: Envelope[] = [];
  const put = async (some: readonly Envelope[]) => {
    events.push(...some);
    return { stored: some.length, duplicates: 0 };
  };
  const [result] = await importSessions({ agents: [agent], env, since, put });
  return { events, result };
}

async function openRecord() {
  const folder = mkdtempSync(join(tmpdir(), "hl-import-store-"));
  const store = await openStore(join(folder, "events.db"), { ballastBytes: 0 });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const arrivals: Arrival[] = [];
  const ingest = createIngest({ instance: "hub1", store, onStored: (some) => void arrivals.push(...some) });
  return { store, ingest, arrivals, imports: createImports({ ingest, store }) };
}

describe("import", () => {
  it("stores the events of a file once, marked, without telling hooks, streams or sinks", async () => {
    const { env, folder } = homeWith();
    copyFileSync(fixture, join(folder, `${SESSION}.jsonl`));
    const { store, imports, arrivals } = await openRecord();
    const key = imports.begin();
    const put = (events: readonly Envelope[]) => imports.put(key, events.map(encodeEnvelope));
    const [first] = await importSessions({ agents: [agent], env, since: 0, put });
    expect(first).toMatchObject({ files: 1, sessions: 1, events: 21, stored: 21, duplicates: 0, watched: 0, unknown: {}, unreadable: 0 });
    const [again] = await importSessions({ agents: [agent], env, since: 0, put });
    expect(again).toMatchObject({ events: 21, stored: 0, duplicates: 21 });
    expect(arrivals).toEqual([]);
    const { events } = await store.page({ session: SESSION }, { limit: 100 });
    expect(events).toHaveLength(21);
    for (const { body } of events)
      expect(JSON.parse(body)).toMatchObject({ source: { app: "claude-code" }, payload: { imported: { version: "2.1.325" } } });
    const rows = await store.after(0, {}, 100);
    const makeBatches = createBatchMaker(
      sink,
      () => {},
      () => {},
    );
    for await (const batch of makeBatches(rows)) expect(batch.envelopes).toEqual([]);
    expect((await store.session(SESSION))?.costUsd).toBeCloseTo(0.0014, 6);
  });

  it("leaves out what the hub has recorded itself, and takes what came before", async () => {
    const { env, folder } = homeWith();
    copyFileSync(fixture, join(folder, `${SESSION}.jsonl`));
    const { imports, ingest } = await openRecord();
    const { events } = await read(env);
    const seen = events[8] as Envelope;
    const own = ingest.acceptMade(encodeEnvelope({ ...seen, id: "own" }));
    if ("code" in own) throw new Error(own.reason);
    await ingest.append([own]);
    // Hooks of Claude Code do not report tokens.
    const earlier = events.filter((event) => event.at < seen.at || isOnlyInFile(event)).length;
    expect(await imports.put(imports.begin(), events.map(encodeEnvelope))).toMatchObject({
      stored: earlier,
      watched: events.length - earlier,
    });
  });

  it("refuses a key that no import has", async () => {
    const { imports } = await openRecord();
    const old = imports.begin();
    imports.begin();
    await expect(imports.put(old, [])).rejects.toMatchObject({ code: "HL_NOT_FOUND", fix: { run: "hookline import" } });
  });

  it("hides secrets, as on every way into the store", async () => {
    const { env } = homeWith({ "s1.jsonl": `${call("c1", `curl -H "Authorization: Bearer ${TOKEN}" x`)}\n` });
    const { events } = await read(env);
    expect(JSON.stringify(events)).not.toContain(TOKEN);
    expect(JSON.stringify(events)).toContain("[redacted");
  });

  it("survives hostile files, counts what it cannot read, and changes nothing", async () => {
    const deep = `{"type":"user","x":${"[".repeat(5_000)}${"]".repeat(5_000)}}`;
    const lines = [
      call("c1", "echo one"),
      "{broken",
      "[1]",
      "null",
      deep,
      line({ type: "from-the-future" }),
      line({ type: "from-the-future" }),
      line({ type: "assistant", message: 5, timestamp: { toString: 1 } }),
      line({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: "nobody" }] } }),
      `{"type":"assistant","__proto__":{"polluted":1},"sessionId":"s1","timestamp":"never","message":{"content":[{"type":"tool_use","id":"c0","name":"Bash","input":{}}]}}`,
      call("c2", "x".repeat(3_000_000)),
      call("c3", "echo last, without an end"),
    ];
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x00, 0x0a]), Buffer.from(lines.join("\n"))]);
    const { env, folder } = homeWith({
      "s1.jsonl": bytes,
      "s2.txt": call("c9", "not a session"),
      "huge.jsonl": `${"y".repeat(40_000_000)}\n${call("c4", "ls")}\n`,
    });
    symlinkSync(fixture, join(folder, "link.jsonl"));
    symlinkSync("/", join(folder, "root"));
    const before = readFileSync(join(folder, "s1.jsonl"));
    const { events, result } = await read(env);
    const commands = events
      .filter(({ event }) => event === "tool:before")
      .map(({ payload }) => (payload as { tool: { input: { command: unknown } } }).tool.input.command);
    expect(commands).toEqual(
      expect.arrayContaining([
        "echo one",
        "echo last, without an end",
        "ls",
        { $hookline: "truncated", bytes: 3_000_000, text: expect.stringMatching(/^x+$/) },
      ]),
    );
    expect(result).toMatchObject({ files: 2, links: 1, unknown: { "from-the-future": 2 } });
    expect(result?.unreadable).toBeGreaterThanOrEqual(7);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(readFileSync(join(folder, "s1.jsonl")).equals(before)).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(["huge.jsonl", "link.jsonl", "root", "s1.jsonl", "s2.txt"]);
  });

  it("leaves out events from before the time that was asked for", async () => {
    const { env } = homeWith({ "s1.jsonl": `${call("c1", "old")}\n${call("c2", "new").replace("2026-01-02", "2026-02-02")}\n` });
    const { events, result } = await read(env, Date.parse("2026-02-01"));
    expect(events.filter(({ event }) => event === "tool:before")).toHaveLength(1);
    expect(result?.old).toBe(2);
  });

  it("finds nothing where there is nothing", async () => {
    const { result } = await read({ HOME: "/nonexistent" });
    expect(result).toMatchObject({ files: 0, events: 0, problems: [] });
  });
});
