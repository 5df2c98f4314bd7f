import { ask, block, createBus, modify, replace } from "@hookline/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { call } from "../../../../../test/support/hook-files.js";
import { createGates } from "./gates.js";
import { createPause, MAX_PAUSE_MS, withPause } from "./pause.js";

afterEach(() => void vi.useRealTimers());

function guarded() {
  const told: [event: string, payload: object][] = [];
  const called: string[] = [];
  const bus = createBus({ source: "hub", onAsk: "return", onError: () => {} });
  const pause = createPause({ tell: (event, payload) => void told.push([event, payload]) });
  const asked: string[] = [];
  const gates = createGates(withPause(bus, pause), undefined, { add: (id) => void asked.push(id) });
  const guard = () => {
    called.push("guard");
    return block("no");
  };
  bus.on("tool:before", () => void called.push("observer"), { name: "observer", stage: "observe" });
  bus.on("tool:before", guard, { name: "guard", owner: "rules", permissions: ["tools.intercept"], onFailure: "closed" });
  bus.on("tool:before", () => modify({ tool: { name: "Bash", input: { command: "other" } } }), { name: "rewrite", stage: "rewrite" });
  bus.on("tool:before", () => ask("sure?"), { name: "elsewhere", match: "tool.input.command == 'never'" });
  const decide = (eventId?: string) =>
    gates.decide({ event: "PreToolUse", payload: call(), ...(eventId !== undefined && { eventId }) }, new AbortController().signal);
  return { bus, pause, gates, told, called, asked, decide };
}

describe("a pause", () => {
  it("lets every call pass as it is, and says so in the trail", async () => {
    const { pause, gates, decide, asked } = guarded();
    expect(await decide()).toMatchObject({ verdict: "deny" });
    const { until } = pause.begin({ forMs: 60_000, by: "ann", reason: "migration" });
    const decision = await decide("e1");
    expect(decision).toMatchObject({ verdict: "pass", allowed: true, modified: false, payload: call() });
    expect(decision.trail).toEqual([
      expect.objectContaining({
        actor: { kind: "policy", name: "pause" },
        action: "paused",
        reason: `Guards are paused by ann until ${until}: migration`,
      }),
      expect.objectContaining({ actor: { kind: "guard", name: "rewrite" }, action: "paused" }),
      expect.objectContaining({ actor: { kind: "guard", name: "guard", owner: "rules" }, action: "paused" }),
    ]);
    expect([asked, gates.decisions, pause.calls]).toEqual([["e1"], { deny: 1, pass: 1 }, 1]);
    pause.end("ann");
    expect(await decide()).toMatchObject({ verdict: "deny" });
  });

  it("asks no guard, tells observers once, and leaves transforms and the list of gates alone", async () => {
    const { bus, pause, gates, called, decide } = guarded();
    bus.on("tool:result", () => replace("changed"));
    const before = gates.list();
    pause.begin({ forMs: 60_000, by: "ann" });
    await decide();
    expect(called).toEqual(["observer"]);
    // Observers of an event that is stored are told then.
    await decide("e1");
    expect(called).toEqual(["observer"]);
    expect(await withPause(bus, pause).transform("tool:result", "value", call())).toMatchObject({ value: "changed" });
    expect(gates.list()).toEqual(before);
  });

  it("still refuses an invalid call", async () => {
    const { pause, gates } = guarded();
    pause.begin({ forMs: 60_000, by: "ann" });
    const asking = gates.decide({ event: "tool:before", payload: { tool: "x" } }, new AbortController().signal);
    await expect(asking).rejects.toMatchObject({ code: "HL_BAD_PAYLOAD" });
  });

  it("ends by itself, at most 8 hours later, and both is told", async () => {
    vi.useFakeTimers();
    const { pause, told, decide } = guarded();
    const { since, until } = pause.begin({ forMs: 100 * MAX_PAUSE_MS, by: "ann" });
    expect(Date.parse(until) - Date.parse(since)).toBe(MAX_PAUSE_MS);
    vi.advanceTimersByTime(MAX_PAUSE_MS);
    expect(pause.current()).toBeUndefined();
    expect(await decide()).toMatchObject({ verdict: "deny" });
    expect(told).toEqual([
      ["guard:paused", { by: "ann", until }],
      ["guard:resumed", { by: "hookline", reason: "the time was up", until }],
    ]);
  });

  it("is over when the clock says so, also if no timer has run", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { pause, told } = guarded();
    pause.begin({ forMs: 60_000, by: "ann" });
    vi.setSystemTime(Date.now() + 60_001);
    expect(pause.current()).toBeUndefined();
    expect(told.map(([event]) => event)).toEqual(["guard:paused", "guard:resumed"]);
  });

  it("is ended early by a person, replaced by the next, and ended with the hub", () => {
    const { pause, told } = guarded();
    expect(pause.end("ann")).toBe(false);
    pause.begin({ forMs: 60_000, by: "ann" });
    pause.begin({ forMs: 1_000, by: "ben" });
    expect(pause.current()).toMatchObject({ by: "ben" });
    expect(pause.end("cleo")).toBe(true);
    expect(pause.current()).toBeUndefined();
    pause.begin({ forMs: 60_000, by: "ann" });
    pause.close();
    expect(told.map(([event, payload]) => [event, (payload as { by: string }).by, (payload as { reason?: string }).reason])).toEqual([
      ["guard:paused", "ann", undefined],
      ["guard:paused", "ben", undefined],
      ["guard:resumed", "cleo", "ended early"],
      ["guard:paused", "ann", undefined],
      ["guard:resumed", "hookline", "the hub stopped"],
    ]);
  });
});
