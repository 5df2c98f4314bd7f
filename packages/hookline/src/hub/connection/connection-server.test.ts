import { join } from "node:path";
import { block, createBus, modify } from "@hookline/core";
import { isProof, prove } from "@hookline/core/internal/machine";
import { openStore, type Store } from "hookline/internal";
import { afterEach, describe, expect, it, vi } from "vitest";
import { LineClient } from "../../../../../test/support/line-client.js";
import { deferred } from "../../../../../test/support/reporting-bus.js";
import { sampleEnvelope } from "../../../../../test/support/sample-envelope.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { createApprovals } from "../approvals/approvals.js";
import { canSeeProcesses } from "../auth/processes.js";
import { createSessionEffects } from "../effects/session-effects.js";
import { createGates } from "../gates/gates.js";
import { createIngest } from "../ingest/ingest.js";
import type { Tokens } from "../parts.js";
import { createConnectionServer } from "./connection-server.js";

const TOKEN = "t".repeat(32);
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function lineTo(append?: Store["append"], options: { readonly loginMs?: number } = {}) {
  const folder = testFolder();
  const store = await openStore(join(folder, "events.db"), { ballastBytes: 0 });
  cleanUps.push(() => store.close());
  const bus = createBus({ source: "hub", onAsk: "return" });
  const gates = createGates(bus);
  const ingest = createIngest({ instance: "hub1", store: { ...store, append: append ?? store.append }, onStored() {} });
  const tokens = { agent: TOKEN } as Tokens;
  const approvals = createApprovals({ tell: () => {} });
  const effects = createSessionEffects();
  const server = createConnectionServer({ instance: "hub1", ingest, gates, tokens, approvals, effects }, options);
  const path = join(folder, "line.sock");
  await server.listen(path);
  cleanUps.push(() => server.close());
  const attached = async (instance?: string): Promise<LineClient> => {
    const client = await LineClient.attached(path, TOKEN, instance);
    cleanUps.push(() => client.socket.destroy());
    return client;
  };
  return { store, bus, gates, ingest, server, path, attached };
}

describe("the line", () => {
  it("takes no process that calls itself by the name of an agent that is attached", async () => {
    const { attached } = await lineTo();
    await expect(attached("claude-code")).rejects.toThrow();
  });

  it("proves itself before it is told anything, and tells a wrong token to go", async () => {
    const { path } = await lineTo();
    const client = new LineClient(path);
    const { instance, proof, nonce } = await client.hello("n".repeat(32));
    expect(isProof(proof, prove(TOKEN, "hub", "hub1", "n".repeat(32)))).toBe(true);
    // Neither a wrong token nor the hub's own proof sent back opens the door.
    client.say({ type: "login", proof: prove("x".repeat(32), "client", instance, nonce), source: sampleEnvelope().source });
    expect(await client.next(({ type }) => type === "bye")).toEqual({ type: "bye", reason: "bad_token" });
    await client.closed();
    const echo = new LineClient(path);
    const own = await echo.hello();
    echo.say({ type: "login", proof: own.proof, source: sampleEnvelope().source });
    expect(await echo.next(({ type }) => type === "bye")).toEqual({ type: "bye", reason: "bad_token" });
    await echo.closed();
  });

  it("hears nothing from those it does not know: events, rubbish, silence, floods", async () => {
    const { path, ingest } = await lineTo(undefined, { loginMs: 300 });
    const strangers = [
      [sampleEnvelope()],
      ["not json"],
      ["[]"],
      [{ type: "hello", v: 2, nonce: "n".repeat(32) }],
      [{ type: "login", proof: "" }],
      ["x".repeat(70_000)],
      [],
    ].map((lines) => {
      const client = new LineClient(path);
      client.say(...(lines as object[]));
      return client;
    });
    await Promise.all(strangers.map((client) => client.closed()));
    expect(ingest.counters.received).toBe(0);
  });

  it("acknowledges what is on disk, and only that", async () => {
    const held = deferred();
    const stored: string[] = [];
    const { attached } = await lineTo(async (events) => {
      await held.promise;
      stored.push(...events.map(({ envelope }) => envelope.id));
      return events.map((_, index) => index + 1);
    });
    const client = await attached();
    const events = [sampleEnvelope(), sampleEnvelope(), sampleEnvelope()];
    client.say(...events);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(client.frames.some(({ type }) => type === "ack")).toBe(false);
    held.resolve();
    expect(await client.next((frame) => frame.type === "ack" && frame.n === 3)).toBeDefined();
    expect(stored).toEqual(events.map(({ id }) => id));
  });

  it("answers for bad lines too, and goes on", async () => {
    const { store, attached } = await lineTo();
    const client = await attached();
    const good = [sampleEnvelope(), sampleEnvelope()];
    client.say(good[0] as object, '{"v":1}', '{"v":1,', good[1] as object);
    client.socket.write(Buffer.from([0x7b, 0xff, 0xfe, 0x0a]));
    await client.next((frame) => frame.type === "ack" && frame.n === 5);
    const refused = client.frames.flatMap((frame) => (frame.type === "refused" ? [frame.n] : []));
    expect(refused).toEqual([2, 3, 5]);
    expect((await store.page({})).events).toHaveLength(2);
    client.say(...good);
    await client.next((frame) => frame.type === "ack" && frame.n === 7);
    expect((await store.stats()).events).toBe(2);
  });

  it("lets a sender go when the disk is full, so that it comes again", async () => {
    const { HookError } = await import("@hookline/core");
    const { attached } = await lineTo(async () => {
      throw new HookError("HL_DISK_FULL", "full");
    });
    const client = await attached();
    client.say(sampleEnvelope());
    expect(await client.next(({ type }) => type === "bye")).toEqual({ type: "bye", reason: "disk_full" });
    await client.closed();
    expect(client.frames.some(({ type }) => type === "ack")).toBe(false);
  });

  it("keeps what a sender had sent before it was gone", async () => {
    const { store, attached } = await lineTo();
    const client = await attached();
    const events = Array.from({ length: 500 }, () => sampleEnvelope());
    client.say(...events);
    client.socket.end();
    await client.closed();
    await expect.poll(async () => (await store.stats()).events).toBe(500);
  });

  it("shows who is there, what they count, and the gaps", async () => {
    const { server, attached } = await lineTo();
    const client = await attached("i7");
    const source = { app: "agent", host: "h", pid: 1, instance: "i7" };
    client.say(sampleEnvelope({ source, seq: 5 }), sampleEnvelope({ source, seq: 9 }), sampleEnvelope({ source, seq: 10 }));
    client.say({ type: "counters", accepted: 10, acked: 3, pending: 4, dropped: { queue_full: 3, "<b>": 1 }, seq: 10 });
    await client.next((frame) => frame.type === "ack" && frame.n === 3);
    await expect
      .poll(() => server.list()[0]?.counters)
      .toEqual({ accepted: 10, acked: 3, pending: 4, dropped: { queue_full: 3 }, seq: 10 });
    expect(server.list()).toMatchObject([{ source: { instance: "i7" }, received: 3, gaps: 3 }]);
    if (canSeeProcesses) await expect.poll(() => server.list()[0]?.peer).toMatchObject({ pid: process.pid });
    client.socket.destroy();
    await expect.poll(() => server.list()).toEqual([]);
  });

  it("denies what was rewritten to more than a line can carry, and keeps the connection", async () => {
    const { bus, attached } = await lineTo();
    bus.on("tool:before", ({ payload }) => modify({ ...payload, extra: "ä".repeat(2_100_000) }));
    const client = await attached();
    client.say({ type: "gate", id: "a", event: "tool:before", payload: { tool: { name: "bash", input: {} } }, deadlineMs: 5_000 });
    expect(await client.next(({ type }) => type === "verdict")).toMatchObject({ id: "a", decision: "deny", cause: "HL_FRAME_TOO_LARGE" });
    client.say(sampleEnvelope());
    await client.next(({ type }) => type === "ack");
  });

  it("holds no more questions of one process than 32 MiB, and denies the others", async () => {
    const { bus, attached } = await lineTo();
    const answer = deferred<undefined>();
    bus.on("tool:before", () => answer.promise);
    const client = await attached();
    const payload = { tool: { name: "bash", input: { text: "x".repeat(4_000_000) } } };
    for (let id = 1; id <= 9; id++) client.say({ type: "gate", id: `g${id}`, event: "tool:before", payload, deadlineMs: 60_000 });
    expect(await client.next(({ type }) => type === "verdict")).toMatchObject({ id: "g9", decision: "deny", cause: "HL_LIMIT" });
    answer.resolve(undefined);
    await client.next((frame) => frame.type === "verdict" && frame.id === "g8");
    client.say({ type: "gate", id: "g10", event: "tool:before", payload, deadlineMs: 60_000 });
    expect(await client.next((frame) => frame.type === "verdict" && frame.id === "g10")).toMatchObject({ decision: "pass" });
  });

  it("answers gates: one id, one answer, whatever the order", async () => {
    const { bus, gates, attached } = await lineTo();
    bus.on("tool:before", ({ payload }) => (payload.tool.input.command === "rm" ? block("no") : modify({ ...payload, extra: 1 })), {
      name: "guard",
    });
    gates.refresh();
    const client = await attached();
    expect(client.frames.find(({ type }) => type === "welcome")).toMatchObject({ gates: [{ event: "tool:before" }] });
    const ask = (id: string, command: string): void =>
      client.say({ type: "gate", id, event: "tool:before", payload: { tool: { name: "bash", input: { command } } }, deadlineMs: 5_000 });
    ask("a", "rm");
    ask("b", "ls");
    expect(await client.next((frame) => frame.type === "verdict" && frame.id === "a")).toMatchObject({
      decision: "deny",
      reason: "no",
      by: "guard",
    });
    expect(await client.next((frame) => frame.type === "verdict" && frame.id === "b")).toMatchObject({ payload: { extra: 1 } });
    for (const [index, payload] of [null, "rm", 7, true, []].entries()) {
      client.say({ type: "gate", id: `p${index}`, event: "prompt:submit", payload, deadlineMs: 5_000 });
      expect(await client.next((frame) => frame.type === "verdict" && frame.id === `p${index}`)).toMatchObject({
        decision: "deny",
        cause: "HL_BAD_PAYLOAD",
      });
    }
    client.say({ type: "gate", id: "c", event: "no:such", payload: {}, deadlineMs: 5_000 });
    expect(await client.next((frame) => frame.type === "verdict" && frame.id === "c")).toMatchObject({ decision: "deny" });
  });

  it("denies a question that is too long, too deep, cut off or not UTF-8 at once, and does not count it as an event", async () => {
    const { attached } = await lineTo();
    const client = await attached();
    const gate = (id: string, text: string) => `{"type":"gate","id":"${id}","event":"tool:before","payload":${text},"deadlineMs":60000}`;
    const huge = `{"text":"${"x".repeat(5_000_000)}"}`;
    client.say(
      gate("long", huge),
      `{ "id": "spaced", "type": "gate", "payload": ${huge} }`,
      gate("deep", `${"[".repeat(100)}${"]".repeat(100)}`),
      gate("cut", '{"tool":'),
      `{"type":"transform","id":"value","event":"tool:result","payload":${huge}}`,
    );
    client.socket.write(Buffer.concat([Buffer.from(gate("bytes", '"')), Buffer.from([0xff, 0x0a])]));
    const answer = (id: string) => client.next((frame) => "id" in frame && frame.id === id);
    for (const id of ["long", "spaced"])
      expect(await answer(id)).toMatchObject({
        decision: "deny",
        cause: "HL_FRAME_TOO_LARGE",
        reason: expect.stringContaining("4194304 bytes"),
      });
    for (const id of ["deep", "cut"])
      expect(await answer(id)).toMatchObject({ decision: "deny", cause: "HL_LIMIT", reason: expect.stringContaining("72 levels") });
    expect(await answer("bytes")).toMatchObject({ decision: "deny", reason: expect.stringContaining("not UTF-8") });
    expect(await answer("value")).toEqual({ type: "late", id: "value" });
    client.say(sampleEnvelope());
    expect(await client.next(({ type }) => type === "ack")).toMatchObject({ n: 1 });
    expect(client.frames.filter(({ type }) => type === "refused")).toEqual([]);
    // Whose question this is cannot be known, so no one would be answered.
    client.say(`{"type":"gate","event":"tool:before","payload":${huge},"id":"last"}`);
    expect(await client.next(({ type }) => type === "bye")).toEqual({ type: "bye", reason: "protocol" });
  });

  it("denies both of two open questions with one id, and takes the id again when they are answered", async () => {
    const { bus, attached } = await lineTo();
    const held = deferred<undefined>();
    bus.on("tool:before", ({ payload }) => (payload.tool.name === "held" ? held.promise : undefined));
    const client = await attached();
    const ask = (name: string): void =>
      client.say({ type: "gate", id: "a", event: "tool:before", payload: { tool: { name, input: {} } }, deadlineMs: 60_000 });
    ask("held");
    ask("bash");
    await vi.waitFor(() => expect(client.frames.filter(({ type }) => type === "verdict")).toHaveLength(2));
    held.resolve(undefined);
    client.say(sampleEnvelope());
    await client.next(({ type }) => type === "ack");
    const denied = expect.objectContaining({ id: "a", decision: "deny", reason: expect.stringContaining("one id") });
    expect(client.frames.filter(({ type }) => type === "verdict")).toEqual([denied, denied]);
    ask("bash");
    await client.next((frame) => frame.type === "verdict" && frame.id === "a" && frame.decision === "pass");
  });

  it("tells every forwarder when its guards change, and when it stops", async () => {
    const { bus, gates, server, attached } = await lineTo();
    const client = await attached();
    const off = bus.on("tool:before", () => undefined, { onFailure: "closed" });
    gates.refresh();
    expect(await client.next(({ type }) => type === "gates")).toMatchObject({ gates: [{ event: "tool:before", onFailure: "closed" }] });
    off();
    gates.refresh();
    await client.next((frame) => frame.type === "gates" && frame.gates.length === 0);
    await server.close();
    expect(await client.next(({ type }) => type === "bye")).toEqual({ type: "bye", reason: "stopping" });
    await client.closed();
  });
});
