import { describe, expect, it } from "vitest";
import { Correlator, type Request } from "./correlator.js";
import type { ConnectionTimers } from "./timers.js";

/** Timers that run when the test says so. */
function manualTimers() {
  let now = 0;
  const due = new Map<() => void, number>();
  const timers: ConnectionTimers = {
    now: () => now,
    after(delayMs, run) {
      const call = () => run();
      due.set(call, now + delayMs);
      return () => due.delete(call);
    },
  };
  function advance(ms: number): void {
    now += ms;
    for (const [call, at] of [...due]) if (at <= now && due.delete(call)) call();
  }
  return { timers, advance, due };
}

function open(options: ConstructorParameters<typeof Correlator<Request, string>>[0] = {}) {
  const { timers, advance, due } = manualTimers();
  const correlator = new Correlator<Request, string>({ timers, ...options });
  const sent: unknown[] = [];
  const ask = (request: Request) => correlator.ask(request, ({ id }) => sent.push(id));
  return { correlator, ask, sent, advance, due };
}

describe("Correlator", () => {
  it("pairs answers with requests by id, in any order", async () => {
    const { correlator, ask, sent } = open();
    const [one, two] = [ask({ id: 1 }), ask({ id: 2 })];
    expect(sent).toEqual([1, 2]);
    expect(correlator.answer(2, "b")).toBe("answered");
    expect(correlator.answer(1, "a")).toBe("answered");
    expect(await Promise.all([one, two])).toEqual(["a", "b"]);
    expect(correlator.counters).toMatchObject({ asked: 2, answered: 2, failed: 0 });
  });

  it("ignores and counts duplicate, late and unsolicited answers", async () => {
    const { correlator, ask, advance } = open();
    const asked = ask({ id: "a" });
    const slow = ask({ id: "b", timeoutMs: 10 });
    slow.catch(() => {});
    correlator.answer("a", "first");
    expect(correlator.answer("a", "second")).toBe("duplicate");
    advance(10);
    await expect(slow).rejects.toMatchObject({ code: "HL_TIMEOUT", failure: "timeout" });
    expect(correlator.answer("b", "late")).toBe("late");
    expect(correlator.answer("b", "again")).toBe("duplicate");
    expect(correlator.answer("c", "")).toBe("unsolicited");
    expect(correlator.answer(undefined, "")).toBe("unsolicited");
    expect(await asked).toBe("first");
    expect(correlator.counters).toEqual({ asked: 2, answered: 1, failed: 1, late: 1, duplicate: 2, unsolicited: 2 });
  });

  it("fails each request at its own deadline, with one timer for all of them", async () => {
    const { correlator, ask, advance, due } = open({ expired: ({ id }) => new Error(`${id} is late`) });
    const results = Promise.allSettled([ask({ id: 1, timeoutMs: 30 }), ask({ id: 2, timeoutMs: 10 }), ask({ id: 3 })]);
    expect(due.size).toBe(1);
    advance(10);
    expect([...correlator.requests()].map(({ id }) => id)).toEqual([1, 3]);
    advance(20);
    expect(correlator.size).toBe(1);
    expect(due.size).toBe(0);
    correlator.answer(3, "in its own time");
    const message = (text: string) => expect.objectContaining({ reason: expect.objectContaining({ message: text }) });
    expect(await results).toEqual([message("1 is late"), message("2 is late"), { status: "fulfilled", value: "in its own time" }]);
  });

  it("ends a request when its signal is aborted, also one that was aborted before", async () => {
    const { correlator, ask, sent } = open();
    const controller = new AbortController();
    const asked = ask({ id: 1, signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(asked).rejects.toMatchObject({ code: "HL_CANCELLED", cause: { message: "enough" } });
    await expect(ask({ id: 2, signal: controller.signal })).rejects.toMatchObject({ code: "HL_CANCELLED" });
    expect(sent).toEqual([1]);
    expect(correlator.size).toBe(0);
  });

  it("fails what waits when the connection ends, and what could not be sent", async () => {
    const { correlator, ask, due } = open();
    const asked = ask({ id: 1, timeoutMs: 50 });
    correlator.failAll(({ id }) => new Error(`${id} is lost`));
    await expect(asked).rejects.toThrow("1 is lost");
    expect(due.size).toBe(0);
    const unsent = correlator.ask({ id: 2 }, () => {
      throw new Error("too large");
    });
    await expect(unsent).rejects.toThrow("too large");
    expect(correlator.counters).toMatchObject({ failed: 2 });
  });

  it("refuses more requests than it may have in flight", async () => {
    const { correlator, ask, sent } = open({ maxInFlight: 1 });
    const asked = ask({ id: 1 });
    await expect(ask({ id: 2 })).rejects.toMatchObject({ code: "HL_LIMIT", failure: "overloaded" });
    correlator.answer(1, "a");
    expect(await asked).toBe("a");
    expect(sent).toEqual([1]);
  });
});
