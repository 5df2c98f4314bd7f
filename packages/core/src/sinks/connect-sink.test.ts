import { ask, block, modify } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { call, reportingBus, withCommand } from "../../../../test/support/reporting-bus.js";
import type { Envelope } from "../catalog/envelope.js";
import { connectSink } from "./connect-sink.js";
import { createMemorySink } from "./memory/memory.js";
import type { SendResult, Sink } from "./sink.js";

const CANARY = `ghp_${"aB3dE5gH7jK9".repeat(3)}`;

function connected(options: Parameters<typeof connectSink>[2] = {}) {
  const { bus, reports } = reportingBus({ source: "my-agent" });
  const sink = createMemorySink();
  return { bus, reports, sink, connection: connectSink(bus, sink, options) };
}

function sinkThat(send: () => Promise<SendResult>, name = "x"): Sink {
  return { name, send, close: async () => {} };
}

describe("connectSink", () => {
  it("delivers what happens on a bus, in order, after the dispatch", async () => {
    const { bus, sink, connection } = connected();
    bus.on("tool:before", () => block("no"), { name: "guard" });
    bus.emit("agent:start", { session: { id: "s1", secretNote: 1 } as never });
    bus.decide("tool:before", call());
    expect(sink.envelopes).toEqual([]);
    expect(connection.counters).toEqual({ accepted: 2, sent: 0, pending: 2, dropped: {}, filtered: 0 });
    await connection.flush();
    expect(sink.envelopes.map(({ event }) => event)).toEqual(["agent:start", "tool:before"]);
    expect(sink.envelopes[0]?.session).toEqual({ id: "s1" });
    expect(sink.envelopes[1]?.decision).toMatchObject({ verdict: "deny", reason: "no", by: "guard" });
    expect(await connection.close()).toEqual({ accepted: 2, sent: 2, pending: 0, dropped: {}, filtered: 0 });
    bus.emit("agent:start", {});
    expect(connection.counters.accepted).toBe(2);
    expect(connection.health).toEqual({ state: "closed" });
  });

  it("takes the payload as it was", async () => {
    const { bus, sink, connection } = connected();
    const payload = { session: { id: "s" }, list: [1] };
    bus.emit("myapp:listed", payload);
    payload.list.push(2);
    await connection.close();
    expect(sink.envelopes[0]?.payload).toEqual({ session: { id: "s" }, list: [1] });
  });

  it("takes only the events it is asked for, under any spelling", async () => {
    const { bus, sink, connection } = connected({ events: ["PostToolUse", "session:*"] });
    bus.emit("agent:start", {});
    bus.emit("tool:after", { ...call(), status: "ok" } as never);
    bus.emit("session:end", {});
    await connection.close();
    expect(sink.envelopes.map(({ event }) => event)).toEqual(["tool:after", "session:end"]);
    expect(connection.counters).toEqual({ accepted: 2, sent: 2, pending: 0, dropped: {}, filtered: 1 });
  });

  it("says what was asked for at first where something else ran, without its secrets and within its size", async () => {
    const { bus, sink, connection } = connected({ events: "tool:before", redact: ["tool.input.pin"], maxPayloadBytes: 2_000 });
    bus.on("tool:before", ({ payload }) => modify(withCommand(payload, "ls -l")), { name: "first", tool: "bash", stage: "rewrite" });
    bus.on("tool:before", ({ payload }) => modify(withCommand(payload, "ls -la")), { name: "second", tool: "bash", stage: "rewrite" });
    bus.on("tool:before", () => ask("sure?"), { name: "careful", tool: "web" });
    bus.setApprover(({ payload }) => ({ verdict: "allow", payload: withCommand(payload as ReturnType<typeof call>, "edited") }));
    const input = { command: `curl -H ${CANARY}`, pin: 1234, text: "x".repeat(50_000) };
    bus.decide("tool:before", { ...call(), tool: { name: "bash", input } });
    await bus.decide("tool:before", call("as it was", "web"));
    bus.decide("tool:before", call("ls", "other"));
    await connection.close();
    expect(sink.envelopes.map(({ payload }) => (payload as ReturnType<typeof call>).tool.input.command)).toEqual([
      "ls -la",
      "edited",
      "ls",
    ]);
    expect(sink.envelopes[0]?.decision?.asked).toMatchObject({
      session: { id: "s1" },
      tool: { input: { command: "curl -H [redacted github-token]", pin: { $hookline: "redacted" }, text: { $hookline: "truncated" } } },
    });
    expect(sink.envelopes[1]?.decision?.asked).toEqual(call("as it was", "web"));
    expect(Object.keys(sink.envelopes[2]?.decision ?? {})).not.toContain("asked");
  });

  it("lets no secret out: by name, by shape, by path, in reasons", async () => {
    const { bus, sink, connection } = connected({ redact: ["tool.input.pin"] });
    bus.on("tool:before", () => block(`found ${CANARY}`));
    bus.decide("tool:before", { tool: { name: "bash", input: { command: `curl -H 'x: ${CANARY}'`, apiKey: CANARY, pin: "1234" } } });
    await connection.close();
    const [envelope] = sink.envelopes;
    expect(JSON.stringify(envelope)).not.toContain(CANARY);
    expect(envelope?.decision?.reason).toBe("found [redacted github-token]");
    expect(envelope?.payload).toEqual({
      tool: {
        name: "bash",
        input: { command: "curl -H 'x: [redacted github-token]'", apiKey: { $hookline: "redacted" }, pin: { $hookline: "redacted" } },
      },
    });
  });

  it("can be told to let everything out, and hides all when a redact function fails", async () => {
    const open = connected({ redactSecrets: false });
    open.bus.emit("myapp:x", { token: CANARY });
    await open.connection.close();
    expect(open.sink.envelopes[0]?.payload).toEqual({ token: CANARY });
    const failing = connected({
      redact: () => {
        throw new Error("x");
      },
    });
    failing.bus.emit("myapp:x", { a: 1 });
    await failing.connection.close();
    expect(failing.sink.envelopes[0]?.payload).toEqual({ $hookline: "redacted" });
    expect(failing.reports.map(({ code }) => code)).toEqual(["HL_REDACT_FAILED"]);
  });

  it("cuts payloads after redacting them", async () => {
    const { bus, sink, connection } = connected({ maxPayloadBytes: 200 });
    bus.emit("myapp:x", { text: `${"x".repeat(80)} ${CANARY} ${"y".repeat(500)}` });
    await connection.close();
    const [envelope] = sink.envelopes as [Envelope];
    const { text } = envelope.payload as { text: { $hookline: string; bytes: number; text: string } };
    expect(text).toMatchObject({ $hookline: "truncated", bytes: 605 });
    expect(text.text).not.toContain("ghp_");
  });

  it("cuts a text of many megabytes before it is searched, and leaves no half secret at the cut", async () => {
    const { bus, sink, connection } = connected({ maxPayloadBytes: 5_000 });
    // What is searched shrinks to less than the cap, and the cut goes through the last one.
    const text = `password=${"x".repeat(19_000)} ${CANARY.repeat(500_000)}`;
    bus.emit("myapp:x", { text });
    await connection.close();
    const shown = JSON.stringify(sink.envelopes[0]?.payload);
    expect(shown).toContain(`"bytes":${text.length}`);
    expect(shown).not.toContain("ghp_");
  });

  it("keeps a dead sink from the others and from the bus, and says how it is", async () => {
    const { bus, sink, connection } = connected();
    const dead = connectSink(
      bus,
      sinkThat(() => new Promise(() => {}), "dead"),
      { queue: { maxCount: 3 } },
    );
    const down = connectSink(
      bus,
      sinkThat(async () => ({ status: "retry", cause: new Error("refused") }), "down"),
      {
        retry: { maxAttempts: 2, sleep: async () => {} },
      },
    );
    for (let i = 0; i < 10; i++) bus.emit("agent:step", {});
    await Promise.all([connection.flush(), down.flush()]);
    expect(sink.envelopes).toHaveLength(10);
    expect(down.health).toEqual({ state: "failing", lastError: 'The sink "down" did not take a batch in 2 attempts.' });
    expect(down.counters).toMatchObject({ accepted: 10, dropped: { retry_exhausted: 10 }, pending: 0 });
    const { accepted, sent, pending, dropped } = await dead.close(20);
    expect({ accepted, sent, pending, dropped }).toEqual({ accepted: 10, sent: 0, pending: 0, dropped: { queue_full: 7, closed: 3 } });
    await Promise.all([connection.close(), down.close()]);
  });

  it("dispatches nothing of its own, and survives a listener that throws", async () => {
    const { bus } = reportingBus();
    bus.onError = () => {
      throw new Error("listener");
    };
    const seen: string[] = [];
    bus.on("*", ({ name }) => void seen.push(name));
    const connection = connectSink(
      bus,
      sinkThat(() => Promise.reject(new Error("x"))),
    );
    bus.emit("agent:start", {});
    await connection.close();
    expect(seen).toEqual(["agent:start"]);
    expect(connection.counters.dropped).toEqual({ failed: 1 });
  });

  it("bounds what waits in a burst that never yields", async () => {
    const { bus, connection } = connected({ queue: { maxCount: 100 } });
    for (let i = 0; i < 2_000; i++) bus.emit("message:delta", {});
    const { accepted, pending, dropped } = connection.counters;
    expect(pending).toBeLessThanOrEqual(100 + 256);
    expect(pending + (dropped.queue_full ?? 0)).toBe(accepted);
    await connection.close();
  });

  it("refuses unknown options", () => {
    const { bus } = reportingBus();
    const sink = createMemorySink();
    const codeOf = (options: object): unknown => {
      try {
        return connectSink(bus, sink, options);
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(codeOf({ event: "tool:*" })).toBe("HL_UNKNOWN_OPTION");
    expect(codeOf({ queue: { max: 1 } })).toBe("HL_UNKNOWN_OPTION");
    expect(codeOf({ retry: { onRetry: () => {} } })).toBe("HL_UNKNOWN_OPTION");
    expect(codeOf({ overflow: "drop" })).toBe("HL_BAD_OPTION");
    expect(codeOf({ events: ["tool:befor"] })).toBe("HL_UNKNOWN_EVENT");
    expect(codeOf({ events: "to*l" })).toBe("HL_BAD_PATTERN");
    expect(codeOf({ redact: ["a..b"] })).toBe("HL_BAD_OPTION");
  });

  it("leaves no listener behind", async () => {
    const before = process.listenerCount("exit") + process.listenerCount("SIGTERM");
    const { bus } = reportingBus();
    const sync = { ...createMemorySink(), sendSync: (): SendResult => ({ status: "sent" }) };
    const connections = [1, 2].map(() => connectSink(bus, sync, { flushOnSignals: true }));
    expect(process.listenerCount("exit") + process.listenerCount("SIGTERM")).toBe(before + 2);
    for (const connection of connections) await connection.close();
    expect(process.listenerCount("exit") + process.listenerCount("SIGTERM")).toBe(before);
  });
});
