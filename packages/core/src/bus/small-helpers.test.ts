import { block, createBus, createEventQueue, getDefaultBus, lazy, mirror, setDefaultBus } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { call, deferred, reportingBus } from "../../../../test/support/reporting-bus.js";

describe("lazy", () => {
  it("loads at the first fire, once, and calls straight from then on", async () => {
    const bus = createBus();
    let loads = 0;
    bus.on(
      "tool:before",
      lazy(async () => {
        loads++;
        return { handle: () => block("lazily") };
      }),
    );
    expect(loads).toBe(0);
    const first = [bus.decide("tool:before", call()), bus.decide("tool:before", call())];
    expect(await Promise.all(first)).toMatchObject([{ reason: "lazily" }, { reason: "lazily" }]);
    expect(await bus.decide("tool:before", call())).toMatchObject({ reason: "lazily" });
    expect(loads).toBe(1);
  });

  it("fails like any handler when the module does, and tries again", async () => {
    const { bus } = reportingBus();
    let isBroken = true;
    bus.on(
      "tool:before",
      lazy(async () => (isBroken ? {} : { run: () => undefined }), "run"),
      { onFailure: "closed" },
    );
    expect(await bus.decide("tool:before", call())).toMatchObject({
      verdict: "deny",
      reason: expect.stringContaining('exports no function "run"'),
    });
    isBroken = false;
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "pass" });
  });
});

describe("the sentinel", () => {
  it("guards every gate before all others, looks again, and is replaced as one", () => {
    const bus = createBus();
    const order: string[] = [];
    bus.on("tool:before", () => void order.push("other"), { priority: 1e9, stage: "rewrite" });
    bus.setSentinel(() => void order.push("first sentinel"));
    bus.setSentinel(() => void order.push("sentinel"));
    bus.decide("tool:before", call());
    bus.decide("prompt:submit", {});
    expect(order).toEqual(["sentinel", "other", "sentinel"]);
    bus.setSentinel(() => block("no"));
    expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", by: "sentinel" });
    bus.setSentinel(null);
    expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "pass" });
  });

  it("is a guard and nothing else", () => {
    const bus = createBus();
    for (const options of [{ stage: "observe" }, { priority: 1 }, { once: true }, { owner: "x" }] as const)
      expect(() => bus.setSentinel(() => {}, options)).toThrow(/setSentinel takes no/);
  });
});

describe("an event queue", () => {
  it("holds events of synchronous code until it is drained, in order", async () => {
    const bus = createBus();
    const seen: unknown[] = [];
    bus.on("file:edited", async ({ payload }) => {
      await null;
      seen.push(payload.target);
      if (payload.target === "a") queue.push("file:edited", { target: "pushed meanwhile" });
    });
    const queue = createEventQueue(bus);
    queue.push("file:edited", { target: "a" });
    queue.push("FileEdited", { target: "b" });
    expect(seen).toEqual([]);
    expect(await queue.drain()).toBe(2);
    expect(seen).toEqual(["a", "b"]);
    expect(queue.size).toBe(1);
    expect(await queue.drain()).toBe(1);
    expect(() => queue.push("file:editd" as string)).toThrow(/Did you mean "file:edited"/);
  });

  it("emits what was pushed, whatever the caller changes afterwards", async () => {
    const bus = createBus();
    const seen: unknown[] = [];
    bus.on("file:edited", ({ payload }) => void seen.push(payload));
    const queue = createEventQueue(bus);
    const made = new (class Made {})();
    const payload: Record<string, unknown> & { changes: unknown[] } = { target: "a", changes: [{ line: 1 }], made };
    payload.itself = payload;
    queue.push("file:edited", payload as never);
    payload.target = "b";
    (payload.changes[0] as { line: number }).line = 2;
    payload.changes.push("more");
    await queue.drain();
    expect(seen).toMatchObject([{ target: "a", changes: [{ line: 1 }], itself: { itself: { target: "a" } } }]);
    expect((seen[0] as typeof payload).changes).toHaveLength(1);
    expect((seen[0] as typeof payload).made).toBe(made);
  });

  it("lets go of what is queued, of one event or of all", async () => {
    const bus = createBus();
    const seen: string[] = [];
    bus.on("*", ({ name }) => void seen.push(name));
    const queue = createEventQueue(bus);
    for (const event of ["file:edited", "FileEdited", "mode:change", "agent:step"] as const) queue.push(event);
    expect([queue.clearFileEdits(), queue.clear("mode_change"), queue.size]).toEqual([2, 1, 1]);
    await queue.drain();
    expect(seen).toEqual(["agent:step"]);
    queue.push("mode:change");
    expect([queue.clear(), queue.size]).toEqual([1, 0]);
    expect(() => queue.clear("mode:chnge")).toThrow("Did you mean");
  });

  it("lets the oldest go when it is full, counts them and says so once", async () => {
    const { bus, codes } = reportingBus();
    const queue = createEventQueue(bus, { max: 2 });
    for (const target of ["a", "b", "c", "d"]) queue.push("file:edited", { target });
    expect([queue.size, queue.dropped, codes()]).toEqual([2, 2, ["HL_LIMIT"]]);
  });
});

describe("mirror", () => {
  it("writes first, then emits, and survives the writer", async () => {
    const { bus, codes } = reportingBus();
    const log: unknown[] = [];
    bus.on("tui:tool.start", ({ payload }) => void log.push(payload));
    const settled = deferred();
    const emitUi = mirror(bus, "tui", (event) => {
      log.push(event);
      if (log.length > 2) throw new Error("closed");
      return settled.promise;
    });
    emitUi("tool.start", "s1", { a: 1 });
    emitUi("tool.start");
    expect(log).toEqual(["tool.start", { session_id: "s1", payload: { a: 1 } }, "tool.start", { session_id: undefined, payload: {} }]);
    settled.reject(new Error("later"));
    await settled.promise.catch(() => {});
    await null;
    expect(codes()).toEqual(["HL_HANDLER_FAILED", "HL_HANDLER_FAILED"]);
  });
});

describe("the default bus", () => {
  it("is one per process and can be replaced", () => {
    const first = getDefaultBus();
    expect(getDefaultBus()).toBe(first);
    const mine = createBus();
    expect(setDefaultBus(mine)).toBe(first);
    expect(getDefaultBus()).toBe(mine);
    setDefaultBus(first);
  });
});
