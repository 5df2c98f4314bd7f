import { block, createBus, inject, remind } from "@hookline/core";
import { createReminderBook } from "@hookline/core/remind";
import { describe, expect, it, vi } from "vitest";
import { call, deferred, never, reportingBus } from "../../../../test/support/reporting-bus.js";

describe("emit", () => {
  it("calls handlers by priority, exact before wildcard, then in order of registration", () => {
    const bus = createBus();
    const order: string[] = [];
    bus.on("*", () => void order.push("*"));
    bus.on("agent:*", () => void order.push("agent:*"));
    bus.on("agent:start", () => void order.push("exact 1"));
    bus.on("agent:start", () => void order.push("exact 2"));
    bus.on("agent:start", () => void order.push("low"), { priority: -1 });
    bus.on("*", () => void order.push("high"), { priority: 5 });
    expect(bus.emit("agent:start", {})).toBeUndefined();
    expect(order).toEqual(["high", "exact 1", "exact 2", "*", "agent:*", "low"]);
  });

  it("starts all handlers and waits for them together, or one by one when told to", async () => {
    for (const [observe, expected] of [
      ["parallel", ["a starts", "b starts", "b ends", "a ends"]],
      ["sequential", ["a starts", "a ends", "b starts", "b ends"]],
    ] as const) {
      const bus = createBus({ observe });
      const log: string[] = [];
      const gate = deferred();
      bus.on("agent:start", async () => {
        log.push("a starts");
        if (observe === "parallel") await gate.promise;
        else await null;
        log.push("a ends");
      });
      bus.on("agent:start", async () => {
        log.push("b starts");
        await null;
        log.push("b ends");
        gate.resolve();
      });
      await bus.emit("agent:start", {});
      expect(log).toEqual(expected);
    }
  });

  it("isolates a handler that throws or rejects, and names it", async () => {
    const { bus, reports } = reportingBus();
    const heard: number[] = [];
    bus.on(
      "agent:start",
      () => {
        throw new Error("one");
      },
      { name: "thrower", owner: "ext", permissions: ["agent.lifecycle"] },
    );
    bus.on("agent:start", () => Promise.reject(new Error("two")), { name: "rejecter" });
    bus.on("agent:start", () => void heard.push(1));
    await bus.emit("agent:start", {});
    expect(heard).toEqual([1]);
    expect(reports.map(({ code, handler, owner, event, failure }) => [code, handler, owner, event, failure])).toEqual([
      ["HL_HANDLER_FAILED", "thrower", "ext", "agent:start", "crash"],
      ["HL_HANDLER_FAILED", "rejecter", undefined, "agent:start", "crash"],
    ]);
    expect(reports[0]?.cause).toMatchObject({ message: "one" });
  });

  it("writes one line per culprit to stderr by default, with the number it stands for", () => {
    const write = vi.spyOn(console, "error").mockImplementation(() => {});
    const now = vi.spyOn(Date, "now");
    try {
      const bus = createBus();
      bus.on(
        "turn:end",
        () => {
          throw new Error("again");
        },
        { name: "noisy" },
      );
      now.mockReturnValue(1_000_000);
      for (let i = 0; i < 4; i++) bus.emit("turn:end", {});
      expect(write).toHaveBeenCalledTimes(1);
      expect(write.mock.calls[0]?.[0]).toContain('Handler "noisy" failed on "turn:end": again');
      now.mockReturnValue(1_020_000);
      bus.emit("turn:end", {});
      expect(write.mock.calls.map(([line]) => line).join("\n")).toContain("(3 more like this suppressed)");
    } finally {
      write.mockRestore();
      now.mockRestore();
    }
  });

  it("settles after a hung observer's timeout, aborts its signal and leaves nothing behind", async () => {
    // Loaded again: the process has one list of deadlines, and tests before this one may have left calls in it.
    vi.resetModules();
    const { createBus } = await import("@hookline/core");
    const { pendingDeadlines } = await import("./deadlines.js");
    const codes: string[] = [];
    const bus = createBus({ onError: ({ code }) => void codes.push(code) });
    let signal: AbortSignal | undefined;
    let other: AbortSignal | undefined;
    bus.on(
      "agent:start",
      (event) => {
        signal = event.signal;
        return never();
      },
      { timeoutMs: 20 },
    );
    bus.on("agent:start", async (event) => {
      other = event.signal;
    });
    const settled = bus.emit("agent:start", {});
    expect(pendingDeadlines()).toBeGreaterThan(0);
    await settled;
    expect(codes).toEqual(["HL_TIMEOUT"]);
    expect([signal?.aborted, other?.aborted]).toEqual([true, false]);
    expect(pendingDeadlines()).toBe(0);
  });

  it("tells an observer that is never suspended of every event, however often it fails", () => {
    const bus = createBus({ onError: () => {} });
    let calls = 0;
    const fail = () => {
      calls++;
      throw new Error("boom");
    };
    bus.on("agent:step", fail, { suspend: false });
    for (let count = 0; count < 12; count++) bus.emit("agent:step");
    expect(calls).toBe(12);
    expect(bus.stats()[0]).toMatchObject({ failures: 12, suspendedUntil: undefined });
  });

  it("suspends an observer after 5 failures in a row for 60 s, and tries it again then", () => {
    const { bus, codes } = reportingBus();
    let calls = 0;
    let isBroken = true;
    bus.on(
      "agent:step",
      () => {
        calls++;
        if (isBroken) throw new Error("x");
      },
      { name: "flaky" },
    );
    for (let i = 0; i < 20; i++) bus.emit("agent:step", {});
    expect(calls).toBe(5);
    expect(codes()).toEqual([...Array(5).fill("HL_HANDLER_FAILED"), "HL_SUSPENDED"]);
    expect(bus.stats()[0]?.suspendedUntil).toBeGreaterThan(Date.now());
    const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 61_000);
    try {
      isBroken = false;
      bus.emit("agent:step", {});
      bus.emit("agent:step", {});
    } finally {
      now.mockRestore();
    }
    expect(calls).toBe(7);
    expect(bus.stats()[0]?.suspendedUntil).toBeUndefined();
  });

  it("keeps its list when handlers come and go meanwhile", () => {
    const bus = createBus();
    const heard: string[] = [];
    bus.on("agent:start", () => {
      heard.push("first");
      off();
      bus.on("agent:start", () => void heard.push("late"));
    });
    const off = bus.on("agent:start", () => void heard.push("second"));
    bus.emit("agent:start", {});
    expect(heard).toEqual(["first", "second"]);
  });

  it("ignores verdicts on a gate, and says so once", () => {
    const { bus, codes } = reportingBus();
    bus.on("tool:before", () => block("no"), { name: "guard" });
    bus.emit("tool:before", call());
    bus.emit("tool:before", call());
    expect(codes()).toEqual(["HL_OUTCOME_NOT_ALLOWED"]);
    expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "deny" });
  });

  it("puts reminders into the book, and refuses them on worker events", () => {
    const book = createReminderBook();
    const { bus, codes } = reportingBus({ reminders: book });
    bus.on("turn:end", () => remind({ body: "write tests" }));
    bus.on("worker:completed", () => remind({ body: "never" }));
    bus.on("turn:after", () => ({ reminder: { body: "" } }));
    bus.emit("turn:end", { session: { id: "s1" } });
    bus.emit("worker:completed", { session: { id: "s1" } });
    bus.emit("turn:after", { session: { id: "s1" } });
    expect(book.list("s1").map(({ spec }) => spec.body)).toEqual(["write tests"]);
    expect(codes()).toEqual(["HL_REMINDER_REJECTED", "HL_BAD_REMINDER"]);
    const without = reportingBus();
    without.bus.on("turn:end", () => remind({ body: "lost" }));
    without.bus.emit("turn:end", {});
    expect(without.codes()).toEqual(["HL_NO_REMINDER_BOOK"]);
  });

  it("reports an unknown name once and goes on", async () => {
    const { bus, reports } = reportingBus();
    for (let i = 0; i < 3; i++) bus.emit("tool:befor" as string, {});
    bus.emitSync("tool:befor" as string);
    expect(await bus.collect("tool:befor" as string)).toEqual([]);
    expect(reports).toHaveLength(1);
    expect(reports[0]).toMatchObject({ code: "HL_UNKNOWN_EVENT" });
    expect(reports[0]?.message).toContain('Did you mean "tool:before"?');
  });

  it("carries custom events to exact and wildcard handlers without keeping every name forever", () => {
    const bus = createBus();
    let heard = 0;
    bus.on("myapp:*", () => void heard++);
    for (let i = 0; i < 5_000; i++) bus.emit(`myapp:job-${i}`, {});
    expect(heard).toBe(5_000);
    expect(bus.has("myapp:anything")).toBe(true);
    expect(bus.has("other:anything")).toBe(false);
  });
});

describe("event handles", () => {
  it("see handlers that come later", () => {
    const bus = createBus();
    const handle = bus.event("PostToolUse");
    expect([handle.name, handle.hasHandlers]).toEqual(["tool:after", false]);
    expect(handle.emit({ ...call(), status: "ok" })).toBeUndefined();
    let heard = 0;
    const off = bus.on("tool:*", () => void heard++);
    handle.emit({ ...call(), status: "ok" });
    handle.emitSync({ ...call(), status: "ok" });
    expect([heard, handle.hasHandlers]).toEqual([2, true]);
    off();
    expect(handle.hasHandlers).toBe(false);
  });

  it("decide gates and transform transforms", async () => {
    const bus = createBus();
    bus.on("tool:before", () => block("no"));
    bus.on("tool:result", ({ value }) => `${value}!`);
    expect(bus.event("tool:before").decide(call())).toMatchObject({ verdict: "deny" });
    expect(await bus.event("tool:result").transform("hi", call())).toMatchObject({ value: "hi!" });
    expect(() => (bus.event("tool:after") as never as { decide(): void }).decide()).toThrow(/kind observe, not gate. Use bus.emit/);
  });
});

describe("the event a handler gets", () => {
  it("has an id and a time of its own, the same for every handler of a dispatch", async () => {
    const bus = createBus();
    const ids: string[] = [];
    const times: number[] = [];
    for (let i = 0; i < 3; i++) {
      bus.on("agent:start", async (event) => {
        ids.push(event.id);
        await null;
        ids.push(event.id);
        times.push(event.at);
      });
    }
    await bus.emit("agent:start", {});
    expect(new Set(ids).size).toBe(1);
    expect(new Set(times).size).toBe(1);
    await bus.emit("agent:start", {});
    expect(new Set(ids).size).toBe(2);
  });

  it("reads the session, whatever the payload is", () => {
    const bus = createBus();
    const seen: unknown[] = [];
    bus.on("agent:start", (event) => void seen.push(event.session));
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("trap");
        },
      },
    );
    for (const payload of [{ session: { id: "a" } }, { session: "text" }, { session: { id: 3 } }, hostile, null, 5, "text"])
      bus.emit("agent:start", payload as never);
    expect(seen).toEqual([{ id: "a" }, undefined, undefined, undefined, undefined, undefined, undefined]);
  });

  it("leads to a nested bus that finds a circle", async () => {
    const { bus, codes } = reportingBus();
    let depth = 0;
    bus.on("agent:start", (event) => {
      depth++;
      return event.bus.emit("agent:start", {});
    });
    await bus.emit("agent:start", {});
    expect(depth).toBe(33);
    expect(codes()).toEqual(["HL_DEPTH"]);
    bus.on("tool:before", async (event) => void (await event.bus.decide("tool:before", call())), { onFailure: "closed" });
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "pass" });
    expect(codes()).toContain("HL_HANDLER_FAILED");
  });
});

describe("collect", () => {
  it("gives every non-null value in handler order, also of asynchronous and failing handlers", async () => {
    const { bus, codes } = reportingBus();
    bus.on("command:reset", async () => Promise.resolve("slow"));
    bus.on("command:reset", () => "quick");
    bus.on("command:reset", () => null);
    bus.on("command:reset", () => {
      throw new Error("x");
    });
    bus.on("command:reset", () => never(), { timeoutMs: 15 });
    bus.on("command:reset", () => 0);
    bus.on("command:reset", () => inject("an outcome is a value too"));
    expect((await bus.collect("command:reset", {})).slice(0, 3)).toEqual(["slow", "quick", 0]);
    expect(codes()).toEqual(["HL_HANDLER_FAILED", "HL_TIMEOUT"]);
  });
});
