import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createBus } from "./bus.js";
import { createIdSource } from "./event-id.js";

const timeOf = (id: string): number => Number.parseInt(id.slice(0, 9), 36);

describe("createIdSource", () => {
  it("makes ids of one width from time, instance and counter", () => {
    const ids = createIdSource("abc");
    expect(ids.next(0)).toBe("000000000abc0000");
    expect(ids.next(0)).toBe("000000000abc0001");
    expect(ids.next(36)).toBe("000000010abc0000");
    expect(createIdSource().next()).toMatch(/^[0-9a-z]{23}$/);
  });

  it("gives each source an instance of its own", () => {
    const instances = new Set(Array.from({ length: 1000 }, () => createIdSource().instance));
    expect(instances.size).toBe(1000);
    expect([...instances].every((instance) => /^[0-9a-z]{10}$/.test(instance))).toBe(true);
  });

  it("sorts as text in the order of creation, whatever the clock does", () => {
    const clock = fc.oneof(fc.integer({ min: -10, max: 50 }), fc.double(), fc.constantFrom(1.7e12, 1.7e12 + 1, 1.7e12 - 5_000));
    fc.assert(
      fc.property(fc.array(clock, { maxLength: 200 }), (times) => {
        const ids = createIdSource("i");
        const made = times.map((time) => ids.next(time));
        expect(new Set(made).size).toBe(made.length);
        expect(made.toSorted()).toEqual(made);
        expect(made.every((id) => /^[0-9a-z]{9}i[0-9a-z]{4}$/.test(id))).toBe(true);
      }),
    );
  });

  it("goes on with the next millisecond when one is used up", () => {
    const ids = createIdSource("i");
    let before = "";
    let sorted = true;
    for (let i = 0; i < 36 ** 4 + 2000; i++) {
      const id = ids.next(1000);
      sorted &&= id > before && id.length === 14;
      before = id;
    }
    expect(sorted).toBe(true);
    expect(timeOf(before)).toBe(1001);
    expect(timeOf(ids.next(1002))).toBe(1002);
  });

  it("begins with the millisecond", () => {
    const now = Date.now();
    expect(timeOf(createIdSource().next(now))).toBe(now);
    expect(timeOf(createIdSource("A_b-9").next(now))).toBe(now);
  });

  it("refuses an instance that could not stand in an id", () => {
    for (const instance of ["", "a b", "a\n", "ü", "x".repeat(65), 7 as unknown as string])
      expect(() => createIdSource(instance)).toThrow(expect.objectContaining({ code: "HL_BAD_OPTION" }));
  });
});

describe("a bus", () => {
  it("draws its instance at first use: a worker has no random numbers while its modules load", () => {
    const random = vi.spyOn(crypto, "getRandomValues");
    try {
      const bus = createBus({ source: "early" });
      bus.on("agent:start", () => {});
      expect(random).not.toHaveBeenCalled();
      expect(bus.source).toEqual({ app: "early", instance: expect.stringMatching(/^[0-9a-z]{10}$/) });
      expect(bus.source).toBe(bus.source);
      expect(random).toHaveBeenCalledOnce();
    } finally {
      random.mockRestore();
    }
  });

  it("puts the instance of its source into the ids of its events", () => {
    for (const bus of [createBus(), createBus({ source: { app: "a", instance: "own" } })]) {
      const instances: string[] = [];
      bus.on("agent:start", ({ id }) => void instances.push(id.slice(9, -4)));
      bus.emitSync("agent:start", {});
      expect(instances).toEqual([bus.source.instance]);
    }
  });
});
