import { ask, block, createBus, modify } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { createGates } from "./gates.js";

const newBus = () => createBus({ source: "hub", onAsk: "return", onError: () => {} });
const never = new AbortController().signal;
const payload = { tool: { name: "bash", callId: "1", input: { command: "ls" } } };

describe("createGates", () => {
  it("lists the guarded gates, with the longest time and the strictest failure mode", () => {
    const bus = newBus();
    const gates = createGates(bus);
    expect(gates.list()).toEqual([]);
    bus.on("session:end", () => {});
    bus.on("tool:before", () => {}, { stage: "observe" });
    expect(gates.list()).toEqual([]);
    bus.on("PreToolUse", () => {}, { timeoutMs: 2_000, onFailure: "open" });
    expect(gates.list()).toEqual([{ event: "tool:before", timeoutMs: 3_000, onFailure: "open" }]);
    bus.on("tool:before", () => {}, { timeoutMs: 700 });
    expect(gates.list()).toEqual([{ event: "tool:before", timeoutMs: 3_700, onFailure: "closed" }]);
    bus.on("tool:before", () => {}, { timeoutMs: 0 });
    bus.on("prompt:submit", () => {}, { timeoutMs: 3_600_000, onFailure: "abort" });
    expect(gates.list()).toEqual([
      { event: "prompt:submit", timeoutMs: 600_000, onFailure: "closed" },
      { event: "tool:before", timeoutMs: 600_000, onFailure: "closed" },
    ]);
  });

  it.each([
    null,
    "ls",
    [],
    {},
    { tool: { name: ["bash"], input: {} } },
    { tool: { name: "bash", input: "rm" } },
    { tool: { name: "bash", args: {} } },
  ])("asks no guard about an invalid call: %j", async (strange) => {
    const gates = createGates(newBus());
    await expect(gates.decide({ event: "PreToolUse", payload: strange }, never)).rejects.toMatchObject({ code: "HL_BAD_PAYLOAD" });
  });

  it("expands patterns over the catalogue", () => {
    const bus = newBus();
    const gates = createGates(bus);
    const off = bus.on("tool:*", () => {});
    expect(gates.list().map(({ event }) => event)).toEqual(["tool:before", "tool:result", "tool:env"]);
    off();
    bus.on("*", () => {});
    const names = gates.list().map(({ event }) => event);
    expect(names).toEqual(expect.arrayContaining(["session:start", "prompt:submit", "tool:before", "command:*"]));
    expect(names).not.toContain("session:end");
    expect(new Set(names).size).toBe(names.length);
  });

  it("keeps commands, which have no list, by name or by pattern", () => {
    const bus = newBus();
    const gates = createGates(bus);
    bus.on("command:deploy", () => {}, { timeoutMs: 9_000, onFailure: "closed" });
    bus.on("command:git:*", () => {}, { onFailure: "open" });
    expect(gates.list()).toEqual([
      { event: "command:deploy", timeoutMs: 10_000, onFailure: "closed" },
      { event: "command:git:*", timeoutMs: 6_000, onFailure: "open" },
    ]);
    bus.on("command:*", () => {});
    expect(gates.list()).toEqual([{ event: "command:*", timeoutMs: 20_000, onFailure: "closed" }]);
  });

  it("decides, with the session, and hands an ask back", async () => {
    const bus = newBus();
    const gates = createGates(bus);
    bus.on("tool:before", (event) => (event.session?.id === "bad" ? block("bad session") : undefined));
    expect(await gates.decide({ event: "tool:before", payload, session: { id: "bad" } }, never)).toMatchObject({ verdict: "deny" });
    expect(await gates.decide({ event: "PreToolUse", payload, session: { id: "good" } }, never)).toMatchObject({ verdict: "pass" });
    expect(
      await gates.decide({ event: "tool:before", payload: { ...payload, session: { id: "bad" } }, session: { id: "x" } }, never),
    ).toMatchObject({
      verdict: "deny",
    });
    bus.on("tool:before", (event) => [
      modify({ ...event.payload, tool: { ...event.payload.tool, input: { command: "pwd" } } }),
      ask("sure?"),
    ]);
    expect(await gates.decide({ event: "tool:before", payload }, never)).toMatchObject({
      verdict: "ask",
      reason: "sure?",
      modified: true,
      payload: { tool: { input: { command: "pwd" } } },
    });
  });

  it("gives back what was asked about without what it filled in, but for what a guard has changed of it", async () => {
    const bus = newBus();
    const gates = createGates(bus);
    const places: unknown[] = [];
    bus.on("tool:before", (event) => {
      places.push((event.payload as { cwd?: unknown }).cwd);
      const { command } = event.payload.tool.input as { command: string };
      if (command === "ls") return modify({ ...event.payload, tool: { ...event.payload.tool, input: { command: "pwd" } } });
      return command === "move" ? modify({ ...event.payload, cwd: "/elsewhere" } as never) : undefined;
    });
    const known = { event: "tool:before", session: { id: "s" }, cwd: "/home" };
    const asked = async (given: object) => (await gates.decide({ ...known, payload: given }, never)).payload;
    const pwd = { tool: { ...payload.tool, input: { command: "pwd" } } };
    expect(await asked(payload)).toEqual(pwd);
    expect(await asked({ ...payload, cwd: "src", session: { id: "own" } })).toEqual({ ...pwd, cwd: "src", session: { id: "own" } });
    expect(await asked(pwd)).toEqual(pwd);
    const move = { tool: { ...payload.tool, input: { command: "move" } } };
    expect(await asked(move)).toEqual({ ...move, cwd: "/elsewhere" });
    expect(places.slice(0, 2)).toEqual(["/home", "/home/src"]);
  });

  it("rejects for an event that is not a gate, and denies when it is cancelled", async () => {
    const bus = newBus();
    const gates = createGates(bus);
    await expect(gates.decide({ event: "session:end", payload: {} }, never)).rejects.toMatchObject({ code: "HL_WRONG_KIND" });
    await expect(gates.decide({ event: "tool:befor", payload: {} }, never)).rejects.toMatchObject({ code: "HL_UNKNOWN_EVENT" });
    bus.on("tool:before", () => new Promise(() => {}));
    const abort = new AbortController();
    const decided = gates.decide({ event: "tool:before", payload }, abort.signal);
    abort.abort();
    expect(await decided).toMatchObject({ verdict: "deny", cause: { code: "HL_CANCELLED" } });
  });

  it("tells of changes once for many", async () => {
    const gates = createGates(newBus());
    let told = 0;
    const stop = gates.onChange(() => told++);
    gates.refresh();
    gates.refresh();
    await Promise.resolve();
    expect(told).toBe(1);
    stop();
    gates.refresh();
    await Promise.resolve();
    expect(told).toBe(1);
  });
});
