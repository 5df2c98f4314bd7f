import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { LineClient } from "../../../../../test/support/line-client.js";
import { testFolder } from "../../../../../test/support/test-folder.js";

const TOKEN = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
const keys = (count: number, value: unknown) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`token=${i}abcd`, value]));
const call = (input: object) => ({ session: { id: "s" }, tool: { name: "Bash", input: { command: "ls", ...input } } });
const MANY = 30_000;

async function hubWithClient() {
  const hub = await startHub({ state: join(testFolder(), "state"), port: 0, onProblem: () => {} });
  onTestFinished(() => hub.close());
  const { file, parts } = hub;
  const client = await LineClient.attached(file.line, file.token);
  onTestFinished(() => void client.socket.destroy());
  const post = async (path: string, body: unknown, token = file.token) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(`${file.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: answer.status, text: await answer.text() };
  };
  const decide = (input: object) =>
    post("/api/decide", { event: "tool:before", payload: call(input), record: true, source: { app: "asker" } });
  const stored = async () => (await parts.store.page({ events: ["tool:before"] }, { limit: 50 })).events.map(({ body }) => body);
  return { hub, client, post, decide, stored, counts: parts.preparer.counts };
}

describe("a call with many keys", () => {
  it("is denied unread on every way into the hub, and the connection goes on", async () => {
    const { client, post, decide } = await hubWithClient();
    const payload = call(keys(MANY, 1));
    const frame = { event: "tool:before", payload, value: {} };
    client.say({ type: "gate", id: "g", ...frame }, { type: "transform", id: "t", ...frame }, { type: "approve", id: "a", ...frame });
    expect(await client.next((told) => "id" in told && told.id === "g")).toMatchObject({ verdict: "deny", cause: "HL_LIMIT" });
    expect(await client.next((told) => "id" in told && told.id === "t")).toMatchObject({ type: "late" });
    expect(await client.next((told) => "id" in told && told.id === "a")).toMatchObject({ type: "approved", error: "HL_LIMIT" });
    client.say({ type: "gate", id: "next", event: "tool:before", payload: call({}) });
    expect(await client.next((told) => "id" in told && told.id === "next")).toMatchObject({ verdict: "pass" });
    expect(await decide(Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`k${i}`, 1])))).toMatchObject({
      status: 400,
      text: expect.stringContaining("more than 10,000 keys"),
    });
    const wide = { v: 2, id: "w", seq: 1, at: new Date().toISOString(), event: "agent:step", payload: keys(60_000, 1), hops: ["i1"] };
    const source = { app: "a", host: "h", pid: 1, instance: "i1" };
    expect(await post("/api/hooks/ingest", { ...wide, source })).toMatchObject({
      status: 400,
      text: expect.stringContaining("50,000 keys"),
    });
  });

  it("is redacted and recorded in another thread, and the questions of others are answered meanwhile", async () => {
    const { client, decide, stored, counts } = await hubWithClient();
    const done: string[] = [];
    const heavy = Array.from({ length: 6 }, async (_, index) => {
      expect((await decide({ ...keys(9_000, "x"), index, secret: TOKEN, text: `key ${TOKEN}` })).status).toBe(200);
      done.push("heavy");
    });
    while (counts.thread === 0) await sleep(1);
    client.say({ type: "gate", id: "light", event: "tool:before", payload: call({}) });
    await client.next((told) => "id" in told && told.id === "light");
    done.push("light");
    await Promise.all(heavy);
    expect(counts.thread).toBe(6);
    expect(done.at(-1)).toBe("heavy");
    const bodies = await stored();
    expect(bodies).toHaveLength(6);
    for (const body of bodies) {
      expect(body).not.toContain(TOKEN);
      expect(body).toContain("[redacted assignment]");
    }
  });

  it("is recorded before the calls that came after it from the same agent", async () => {
    const { hub, post, stored, counts } = await hubWithClient();
    const hook = (input: object) =>
      post(
        "/api/agents/claude-code/PreToolUse?plain=1",
        { session_id: "s", hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls", ...input }, cwd: "/" },
        hub.parts.tokens.operator,
      );
    await hook({ text: "x".repeat(300_000), name: "first" });
    await hook({ name: "second" });
    await expect.poll(async () => (await stored()).length).toBe(2);
    expect(counts.thread).toBeGreaterThan(0);
    // The newest first.
    expect((await stored()).map((body) => /"name":"(first|second)"/.exec(body)?.[1])).toEqual(["second", "first"]);
  });

  it("is on disk after the hub has stopped, also if it was being redacted", async () => {
    const state = join(testFolder(), "state");
    const hub = await startHub({ state, port: 0, onProblem: () => {} });
    const headers = { authorization: `Bearer ${hub.parts.tokens.operator}`, "content-type": "application/json" };
    const body = JSON.stringify({
      session_id: "s",
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "ls", text: "x".repeat(300_000) },
    });
    await fetch(`${hub.file.url}/api/agents/claude-code/PreToolUse?plain=1`, { method: "POST", headers, body });
    await hub.close();
    const next = await startHub({ state, port: 0, onProblem: () => {} });
    onTestFinished(() => next.close());
    expect((await next.parts.store.page({ events: ["tool:before"] }, { limit: 5 })).events).toHaveLength(1);
  });
});
