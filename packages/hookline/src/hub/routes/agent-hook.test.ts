import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { allow, ask as askPerson, block, inject, modify } from "@hookline/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { type HttpHub, KEY, startHttpHub, until } from "../../../../../test/support/http-hub.ts";
import { NONCE_HEADER, readReply } from "../../agents/client/reply-format.js";
import type { HookReply } from "../../agents/shared/definition.js";
import type { PlacedEvent } from "../protocol.js";

const twice = new URL("../../agents/copilot/fixtures/delivered-twice.json", import.meta.url);
const BEFORE = { "claude-code": "PreToolUse", codex: "PreToolUse", gemini: "BeforeTool", copilot: "preToolUse" } as const;
type Agent = keyof typeof BEFORE;
const agents = Object.keys(BEFORE) as Agent[];

/** The call of a shell tool, as each agent tells of it. */
function callOf(agent: Agent, command = "ls", id = "call-1"): object {
  if (agent === "copilot") return { sessionId: "s1", cwd: "/srv", timestamp: 1, toolName: "bash", toolArgs: { command } };
  const tool = { tool_name: agent === "gemini" ? "run_shell_command" : "Bash", tool_input: { command } };
  const common = { session_id: "s1", cwd: "/srv", hook_event_name: BEFORE[agent], ...tool };
  return agent === "gemini" ? { ...common, timestamp: "2026-11-16T00:00:00.000Z" } : { ...common, tool_use_id: id };
}

interface Said extends HookReply {
  readonly status: number;
}

async function tell({ ask }: HttpHub, path: string, body: unknown): Promise<Said> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const nonce = randomBytes(16).toString("hex");
  const [agent = "", native = ""] = path.split(/[/?]/);
  const { status, text: answer } = await ask(`/api/agents/${path}`, { body: text, isOverSocket: true, headers: { [NONCE_HEADER]: nonce } });
  return {
    status,
    ...(readReply(KEY.seal, Buffer.from(answer), { nonce, agent, native }) ?? { stdout: "no reply", stderr: "", exitCode: -1 }),
  };
}

/** What the hub has stored, oldest first; waits for so many. */
async function stored({ ask }: HttpHub, count: number, event?: string): Promise<PlacedEvent[]> {
  let events: PlacedEvent[] = [];
  await until(async () => {
    events = (await ask(`/api/events?limit=100${event === undefined ? "" : `&event=${event}`}`)).json.events.toReversed();
    return events.length >= count;
  });
  return events;
}

describe("POST /api/agents/:agent/:event", () => {
  it.each(agents)("%s: is told which guard did not answer", async (agent) => {
    const hub = await startHttpHub();
    hub.bus.on("tool:before", () => new Promise(() => {}), { name: "slow", timeoutMs: 20, onFailure: "closed" });
    const { stdout, stderr } = await tell(hub, `${agent}/${BEFORE[agent]}`, callOf(agent));
    expect((stdout + stderr).replaceAll("\\", "")).toContain('Handler "slow" did not answer "tool:before" within 20 ms.');
  });

  it.each(agents)("%s: translates, decides, records and answers in its own words", async (agent) => {
    const hub = await startHttpHub();
    hub.bus.on("tool:before", () => block("not here"), { name: "no-rm", match: "tool.input.command contains 'rm '" });
    hub.bus.on("tool:before", () => allow("fine"), { match: "tool.input.command contains 'cat'" });
    const path = `${agent}/${BEFORE[agent]}`;
    expect(await tell(hub, path, callOf(agent))).toEqual({ status: 200, stdout: "", stderr: "", exitCode: 0 });
    expect(await tell(hub, path, callOf(agent, "rm x", "call-2"))).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^Hookline denied this \(guard no-rm\): not here\. Details: \S*hookline\S* show \w{12}\n$/),
    });
    const allowed = await tell(hub, path, callOf(agent, "cat x", "call-3"));
    expect([allowed.exitCode, allowed.stdout.includes('"allow"')]).toEqual([0, agent === "claude-code" || agent === "copilot"]);
    const events = await stored(hub, 3, "tool:before");
    expect(events.map(({ decision }) => decision?.verdict)).toEqual(["pass", "deny", "allow"]);
    expect(events[1]).toMatchObject({
      event: "tool:before",
      source: { app: agent },
      session: { id: "s1" },
      decision: { verdict: "deny", reason: "not here", by: "no-rm" },
      payload: { agent: { platform: agent }, cwd: "/srv", tool: { name: "Bash", input: { command: "rm x" } } },
    });
    const [after] = await stored(hub, 1, "tool:after");
    expect(after).toMatchObject({ source: { app: agent }, session: { id: "s1" }, payload: { status: "blocked" } });
  });

  it("gives a rewrite and what is injected back in the agent's shape", async () => {
    const hub = await startHttpHub();
    hub.bus.on(
      "tool:before",
      ({ payload }) => [
        modify({ ...payload, tool: { ...payload.tool, input: { ...payload.tool.input, command: "ls -l" } } }),
        inject("look"),
      ],
      { stage: "rewrite" },
    );
    const { stdout } = await tell(hub, "claude-code/PreToolUse", callOf("claude-code"));
    expect(JSON.parse(stdout)).toEqual({
      hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "ls -l" }, additionalContext: "look" },
    });
    const [event] = await stored(hub, 1);
    expect(event).toMatchObject({
      decision: { modified: true, asked: { tool: { input: { command: "ls" } } } },
      payload: { tool: { input: { command: "ls -l" } } },
    });
  });

  it("answers by HTTP alone without losing a deny", async () => {
    const hub = await startHttpHub({ onError: () => {} });
    hub.bus.on("tool:before", () => block("no"), { match: "tool.input.command contains 'rm'" });
    const post = (agent: Agent, command: string) =>
      hub.ask(`/api/agents/${agent}/${BEFORE[agent]}?plain=1`, { body: JSON.stringify(callOf(agent, command, command)) });
    expect(await post("claude-code", "ls")).toMatchObject({ status: 204, text: "" });
    const denied = await post("claude-code", "rm");
    expect(denied.status).toBe(200);
    expect(denied.json.hookSpecificOutput).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining("): no. Details:"),
    });
    const broken = await hub.ask("/api/agents/claude-code/PreToolUse?plain=1", { body: "{" });
    expect([broken.status, broken.json.hookSpecificOutput.permissionDecision]).toEqual([200, "deny"]);
    // Said by exit code alone, it must not look like a pass.
    expect((await post("codex", "rm")).status).toBe(500);
  });

  it("takes two deliveries of one call for one, and two calls that look alike for two", async () => {
    const hub = await startHttpHub();
    let looked = 0;
    hub.bus.on("tool:before", () => {
      looked++;
      return block("no");
    });
    const path = "claude-code/PreToolUse";
    const twice = await Promise.all([tell(hub, path, callOf("claude-code")), tell(hub, path, callOf("claude-code"))]);
    expect(twice.map(({ exitCode }) => exitCode)).toEqual([2, 2]);
    expect(await tell(hub, path, callOf("claude-code"))).toMatchObject({ exitCode: 2 });
    expect(looked).toBe(1);
    await tell(hub, path, callOf("claude-code", "ls", "call-2"));
    await tell(hub, path, { ...callOf("claude-code"), session_id: "s2" });
    expect(looked).toBe(3);
    expect(await stored(hub, 3, "tool:before")).toHaveLength(3);
  });

  it("judges and records a call of its own that comes under an id already used", async () => {
    const hub = await startHttpHub();
    hub.bus.on("tool:before", () => block("no"), { match: "tool.input.command contains 'rm'" });
    for (const agent of ["claude-code", "codex"] as const) {
      const path = `${agent}/${BEFORE[agent]}`;
      expect(await tell(hub, path, callOf(agent, "ls", "call_0"))).toMatchObject({ exitCode: 0, stdout: "" });
      expect((await tell(hub, path, callOf(agent, "rm", "call_0"))).exitCode).toBe(2);
    }
    expect(await stored(hub, 4, "tool:before")).toHaveLength(4);
  });

  it("says who denied where no reason was given", async () => {
    const hub = await startHttpHub();
    hub.bus.on("tool:before", () => block(), { name: "no-calls" });
    expect((await tell(hub, "codex/PreToolUse", callOf("codex"))).stderr).toContain("Hookline denied this (guard no-calls):");
  });

  it("knows Copilot CLI also when it comes by Claude Code's hooks", async () => {
    const hub = await startHttpHub();
    hub.bus.on("tool:before", () => block("no"));
    const { fromClaudeSettings } = JSON.parse(readFileSync(twice, "utf8"));
    const { stdout } = await tell(hub, "claude-code/PreToolUse", fromClaudeSettings);
    expect(JSON.parse(stdout)).toEqual({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining("): no. Details:"),
    });
    expect((await stored(hub, 1, "tool:before"))[0]).toMatchObject({ source: { app: "copilot" } });
  });

  it("denies a body that is not an event, under the seal, without asking a guard", async () => {
    const hub = await startHttpHub();
    let looked = 0;
    hub.bus.on("tool:before", () => void looked++);
    const path = "claude-code/PreToolUse";
    const bodies = [
      "",
      "{",
      '{"a":1}{"b":2}',
      "[]",
      "7",
      "null",
      '"x"',
      "\ufeff{}",
      "[".repeat(100_000),
      `{"a":${"[".repeat(99)}${"]".repeat(99)}}`,
    ];
    for (const body of bodies) expect(await tell(hub, path, body), body.slice(0, 40)).toMatchObject({ status: 200, exitCode: 2 });
    expect(looked).toBe(0);
    const denied = await stored(hub, bodies.length, "tool:before");
    expect(denied.map(({ decision }) => decision?.verdict)).toEqual(bodies.map(() => "deny"));
    expect((await tell(hub, "nobody/PreToolUse", callOf("codex"))).status).toBe(404);
    expect((await hub.ask(`/api/agents/${path}`, { body: "{}", token: null })).status).toBe(401);
    expect(await stored(hub, 0, "tool:before")).toHaveLength(bodies.length);
  });

  it("takes a body that is cut off for none", async () => {
    const hub = await startHttpHub();
    let looked = 0;
    hub.bus.on("tool:before", () => void looked++);
    const socket = open(hub);
    socket.write(`${head(hub, "claude-code/PreToolUse", 10_000)}{"session_id":"s1","tool_name":"Bash",`);
    await until(() => socket.bytesWritten > 0);
    socket.destroy();
    expect(await tell(hub, "claude-code/PreToolUse", callOf("claude-code"))).toMatchObject({ status: 200, exitCode: 0 });
    expect(looked).toBe(1);
    expect(await stored(hub, 1)).toHaveLength(1);
  });

  it.each(agents)("%s: denies a call in which a field that is read has another type, and throws at none", async (agent) => {
    const hub = await startHttpHub();
    const path = `${agent}/${BEFORE[agent]}`;
    const texts = ["session_id", "sessionId", "cwd", "tool_name", "toolName", "tool_use_id"];
    const needed = ["session_id", "sessionId", "tool_name", "toolName", "tool_input", "toolArgs"];
    const isReadable = (field: string, value: unknown): boolean => {
      if (value === null) return !needed.includes(field);
      if (texts.includes(field)) return typeof value === "string";
      return !/^(tool_input|toolArgs)$/.test(field) || (typeof value === "object" && !Array.isArray(value));
    };
    for (const value of [7, null, [], {}, "x", true])
      for (const field of Object.keys(callOf(agent))) {
        const said = await tell(hub, path, { ...callOf(agent), [field]: value });
        const exitCode = isReadable(field, value) ? 0 : 2;
        expect({ field, value, ...said }).toMatchObject({ field, value, status: 200, exitCode });
      }
    expect(await tell(hub, path, {})).toMatchObject({ status: 200, exitCode: 2 });
    // Scripts of older versions say so.
    expect(await tell(hub, `${path}?strict=1`, callOf(agent, "ls", "another"))).toMatchObject({ status: 200, exitCode: 0 });
  });

  it("lets guards see all of 7 MB, and stores as much as fits", async () => {
    const hub = await startHttpHub();
    const seen: number[] = [];
    hub.bus.on("tool:before", ({ payload }) => {
      const { command } = payload.tool.input as { readonly command: string };
      seen.push(command.length);
      return command.endsWith("rm") ? block("found it") : undefined;
    });
    const command = `${"x".repeat(7 * 1024 * 1024)}rm`;
    expect(await tell(hub, "claude-code/PreToolUse", callOf("claude-code", command))).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("found it"),
    });
    expect(seen).toEqual([command.length]);
    const [event] = await stored(hub, 1, "tool:before");
    expect(event).toMatchObject({ decision: { verdict: "deny" }, session: { id: "s1" } });
    expect(JSON.stringify(event).length).toBeLessThan(1024 * 1024);
  });

  it("keeps unknown events and answers them with nothing", async () => {
    const hub = await startHttpHub();
    for (const [agent, event] of agents.map((id) => [id, "SomethingNew"] as const))
      expect(await tell(hub, `${agent}/${event}`, { session_id: "s1", sessionId: "s1", what: [1] })).toMatchObject({
        stdout: "",
        exitCode: 0,
      });
    const events = await stored(hub, 4);
    expect(events.map(({ event }) => event)).toEqual(agents.map((id) => `${id}:something_new`));
    expect(events[0]).toMatchObject({ session: { id: "s1" }, payload: { raw: { what: [1] } } });
  });
});

describe("a call that waits for a person", () => {
  const waiting = async (hub: HttpHub) => {
    await until(async () => (await hub.ask("/api/approvals")).json.approvals.length > 0);
    return (await hub.ask("/api/approvals")).json.approvals[0] as { readonly id: string; readonly hash: string };
  };

  it("is kept alive with blank lines, and goes on with the answer", async () => {
    const hub = await startHttpHub();
    hub.bus.on("tool:before", () => askPerson("sure?"), { name: "careful" });
    const socket = open(hub);
    const body = JSON.stringify(callOf("codex"));
    socket.write(head(hub, "codex/PreToolUse", body.length) + body);
    let said = "";
    socket.on("data", (part) => (said += part.toString("latin1")));
    await until(() => /\r\n\r\n(?:[\da-f]+\r\n)?\n{16}/.test(said));
    const { id, hash } = await waiting(hub);
    expect((await hub.ask(`/api/approvals/${id}`, { body: JSON.stringify({ verdict: "deny", hash, reason: "no, thanks" }) })).status).toBe(
      200,
    );
    await once(socket, "close");
    expect(said).toContain(`hookline ${KEY.seal} 2 0 `);
    expect(said).toContain("no, thanks");
    const [event] = await stored(hub, 1, "tool:before");
    expect(event).toMatchObject({ decision: { verdict: "deny", reason: "no, thanks" }, session: { id: "s1" } });
  });

  it("waits no longer than its agent, and is not recorded as a person's decision", async () => {
    const hub = await startHttpHub();
    hub.bus.on("tool:before", () => askPerson("sure?"), { name: "careful" });
    const socket = open(hub);
    const body = JSON.stringify(callOf("gemini"));
    socket.write(head(hub, "gemini/BeforeTool", body.length) + body);
    const { id, hash } = await waiting(hub);
    socket.destroy();
    await until(async () => (await hub.ask("/api/approvals")).json.approvals.length === 0);
    expect((await hub.ask(`/api/approvals/${id}`, { body: JSON.stringify({ verdict: "allow", hash }) })).status).toBe(409);
    const [event] = await stored(hub, 1, "tool:before");
    expect(event).toMatchObject({ decision: { verdict: "deny", cause: "HL_CANCELLED" } });
  });
});

function open({ socketPath }: HttpHub): Socket {
  const socket = connect(socketPath);
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

function head({ parts }: HttpHub, path: string, length: number): string {
  const headers = [
    `POST /api/agents/${path} HTTP/1.1`,
    "Host: hookline",
    `Authorization: Bearer ${parts.tokens.operator}`,
    "Content-Type: application/json",
    `Content-Length: ${length}`,
    "Connection: close",
  ];
  return `${headers.join("\r\n")}\r\n\r\n`;
}
