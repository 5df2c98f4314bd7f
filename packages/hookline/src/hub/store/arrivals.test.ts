import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { createArrivals } from "./arrivals.js";
import { migrate } from "./schema.js";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 18);
const END = Number.MAX_SAFE_INTEGER;

/** A machine whose clock is set by hand, and a store that opens again. */
function machine() {
  const database = new DatabaseSync(":memory:");
  migrate(database);
  const state = { wall: NOW, uptime: 0, boot: "first" };
  const open = () =>
    createArrivals(database, {
      wall: () => state.wall,
      uptime: () => state.uptime,
      get boot() {
        return state.boot;
      },
    });
  let arrivals = open();
  return {
    add: (place: number) => arrivals.add(place),
    firstAfter: (time: number) => arrivals.firstAfter(time),
    prune: (first: number) => arrivals.prune(first),
    pass(ms: number) {
      state.wall += ms;
      state.uptime += ms;
    },
    setClock(wall: number) {
      state.wall = wall;
    },
    restart() {
      arrivals = open();
    },
    boot(name: string, wall: number) {
      Object.assign(state, { boot: name, wall, uptime: 20_000 });
      arrivals = open();
    },
    now: () => state.wall,
  };
}

describe("arrivals", () => {
  it("say which events arrived before a time, by the minute", () => {
    const { add, pass, firstAfter, now } = machine();
    for (const place of [1, 2, 3]) {
      add(place);
      add(place * 10);
      pass(DAY);
    }
    expect(firstAfter(now() - 10 * DAY)).toBe(0);
    expect(firstAfter(now() - 2.5 * DAY)).toBe(2);
    expect(firstAfter(now())).toBe(END);
  });

  it("are right once the clock is, whatever it said when the machine was started", () => {
    const { add, pass, firstAfter, setClock, boot } = machine();
    boot("wrong", Date.UTC(1971, 0, 1));
    add(1);
    pass(120_000);
    add(2);
    setClock(NOW);
    pass(60_000);
    expect(firstAfter(NOW - DAY)).toBe(0);
    add(3);
    expect(firstAfter(NOW - DAY)).toBe(0);
    pass(2 * DAY);
    expect(firstAfter(NOW + DAY)).toBe(END);
  });

  it("are right also if the hub was started again before the clock was set", () => {
    const { add, pass, firstAfter, setClock, boot, restart } = machine();
    // Two months behind: the time at which the machine was switched off.
    boot("wrong", NOW - 60 * DAY);
    add(1);
    pass(60_000);
    restart();
    setClock(NOW);
    add(2);
    expect(firstAfter(NOW - 30 * DAY)).toBe(0);
  });

  it("count a time that cannot be as that of what came next, if the machine was started again meanwhile", () => {
    const { add, pass, firstAfter, boot } = machine();
    add(1);
    boot("wrong", Date.UTC(1971, 0, 1));
    add(2);
    boot("right", NOW + 20 * DAY);
    add(3);
    pass(DAY);
    expect(firstAfter(NOW + 10 * DAY)).toBe(2);
    expect(firstAfter(NOW + 20.5 * DAY)).toBe(END);
  });

  it("keep what was noted of the oldest events that are left", () => {
    const { add, pass, firstAfter, prune, now } = machine();
    for (const place of [1, 5, 9]) {
      add(place);
      pass(DAY);
    }
    prune(7);
    expect(firstAfter(now() - 1.5 * DAY)).toBe(9);
  });
});
