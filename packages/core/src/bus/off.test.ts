import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hubFolder, TestHub } from "../../../../test/support/test-hub.js";
import { block, modify, replace } from "../catalog/outcomes.js";
import { connectToHub } from "../forward/connect-to-hub.js";
import { connectSink } from "../sinks/connect-sink.js";
import { createMemorySink } from "../sinks/memory/memory.js";
import { type Bus, createBus } from "./bus.js";
import type { BusOptions } from "./types.js";

const call = { tool: { name: "Bash", input: { command: "rm -rf /" } } };

beforeEach(() => void vi.stubEnv("HOOKLINE", "0"));
afterEach(() => void vi.unstubAllEnvs());

function guarded(options: BusOptions = {}): { readonly bus: Bus; readonly called: string[]; readonly reported: string[] } {
  const called: string[] = [];
  const reported: string[] = [];
  const bus = createBus({ onError: ({ code, message }) => void reported.push(`${code} ${message}`), ...options });
  const note = <T>(what: string, answer: T) => {
    return () => {
      called.push(what);
      return answer;
    };
  };
  bus.setSentinel(note("sentinel", block("no")));
  bus.on("tool:before", note("guard", block("no")), { onFailure: "closed" });
  bus.on("tool:before", note("rewrite", modify({ tool: { name: "Bash", input: {} } })), { stage: "rewrite" });
  bus.on("tool:result", note("transform", replace("other")));
  bus.on("*", note("all", undefined), { stage: "observe" });
  return { bus, called, reported };
}

describe("HOOKLINE in the environment", () => {
  it.each(["0", "false", "NO", " Off "])("switches a bus off with %j", (value) => {
    vi.stubEnv("HOOKLINE", value);
    expect(guarded().bus.isOff).toBe(true);
  });

  it.each(["", "1", "true", "on", "00", "none"])("changes nothing with %j", (value) => {
    vi.stubEnv("HOOKLINE", value);
    const { bus, reported } = guarded();
    expect([bus.isOff, reported]).toEqual([false, []]);
    expect(bus.decide("tool:before", call)).toMatchObject({ verdict: "deny" });
  });

  it("does not switch a bus off where the program may not read it, as in Deno", () => {
    const refuse = (): never => {
      throw new Error("Requires env access");
    };
    vi.stubGlobal("process", { env: new Proxy({}, { get: refuse }) });
    try {
      expect(guarded().bus.isOff).toBe(false);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("calls no handler, however the bus is used", async () => {
    const { bus, called } = guarded({ freeze: false, observe: "sequential" });
    const signal = new AbortController().signal;
    expect(bus.decide("tool:before", call)).toMatchObject({ verdict: "pass", allowed: true, payload: call, modified: false });
    expect(await bus.decide("tool:before", call, { signal, observers: false })).toMatchObject({ verdict: "pass", trail: [] });
    expect(bus.decide("finish:before", {})).toMatchObject({ verdict: "pass" });
    expect(bus.event("tool:before").decide(call)).toMatchObject({ verdict: "pass" });
    expect(bus.transform("tool:result", "value", call)).toMatchObject({ value: "value", trail: [] });
    expect(bus.emit("session:start", {})).toBeUndefined();
    expect(bus.event("session:start").emit({})).toBeUndefined();
    bus.emitSync("session:end", {});
    void bus.tellObservers("tool:before", call, true);
    expect(await bus.collect("session:start", {})).toEqual([]);
    expect(await bus.runTool(call, () => "ran")).toMatchObject({ status: "ok", output: "ran" });
    expect(called).toEqual([]);
  });

  it("keeps the registrations, and shows that none of them is reached", () => {
    const { bus } = guarded();
    expect([bus.count(), bus.list().length, bus.stats().length]).toEqual([5, 5, 5]);
    expect([bus.has("tool:before"), bus.event("tool:before").hasHandlers, bus.matching("tool:before", call)]).toEqual([false, false, []]);
    expect(bus.has("turn:start")).toBe(false);
  });

  it("is said once to each listener, and once on stderr for all buses without one", () => {
    const written = vi.spyOn(console, "error").mockImplementation(() => {});
    expect(guarded().reported).toEqual([expect.stringMatching(/^HL_OFF HOOKLINE in the environment/)]);
    for (let index = 0; index < 3; index++) void createBus().decide("tool:before", call);
    expect(written.mock.calls).toEqual([[expect.stringContaining("HL_OFF")]]);
  });

  it("is read when the bus is made", () => {
    const off = guarded().bus;
    vi.stubEnv("HOOKLINE", "1");
    const on = guarded().bus;
    vi.stubEnv("HOOKLINE", "0");
    expect([off, on].map((bus) => bus.decide("tool:before", call))).toMatchObject([{ verdict: "pass" }, { verdict: "deny" }]);
  });

  it("gives way to the option, which says nothing on its own", () => {
    const { bus, reported } = guarded({ enabled: true });
    expect(bus.decide("tool:before", call)).toMatchObject({ verdict: "deny" });
    vi.stubEnv("HOOKLINE", "1");
    const off = guarded({ enabled: false });
    expect(off.bus.decide("tool:before", call)).toMatchObject({ verdict: "pass" });
    expect([bus.isOff, off.bus.isOff, reported, off.reported]).toEqual([false, true, [], []]);
  });

  it("leaves taps and sinks without events, and the hub without a connection", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    const { bus } = guarded();
    const memory = createMemorySink();
    const sink = connectSink(bus, memory);
    const tapped = vi.fn();
    bus.tap({ dispatched: tapped })();
    bus.tap({ dispatched: tapped });
    const line = connectToHub(bus, { folder: folder.state, durable: true, gates: { events: ["tool:before"] } });
    expect(bus.decide("tool:before", call)).toMatchObject({ verdict: "pass" });
    await bus.emit("session:start", {});
    await sink.close();
    expect([line.state, hub.connections, memory.envelopes.length, tapped.mock.calls.length]).toEqual(["off", 0, 0, 0]);
  });
});
