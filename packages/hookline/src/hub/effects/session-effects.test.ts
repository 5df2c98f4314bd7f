import type { LineEffects } from "@hookline/core/forward";
import { expect, it } from "vitest";
import { createSessionEffects } from "./session-effects.js";

const source = { app: "agent", instance: "i1" };
const to = (session: string, from = source) => ({ source: from, session: { id: session } });
const text = (...injections: string[]) => ({ injections, reminders: [] });

it("gives a session what was left for it, in order and once", () => {
  const effects = createSessionEffects();
  expect(effects.leave(to("a"), text("1"))).toBe("waiting");
  effects.leave(to("b"), text("other"));
  effects.leave(to("a"), { injections: ["2"], reminders: [{ body: "r" }] });
  expect(effects.take("another", "a").injections).toEqual([]);
  expect(effects.take("agent", "a")).toEqual({ injections: ["1", "2"], reminders: [{ body: "r" }] });
  expect(effects.take("agent", "a").injections).toEqual([]);
  expect(effects.counters).toEqual({ left: 3, delivered: 2, waiting: 1, dropped: 0 });
});

it("sends it to a process on the line, again if the process had not told it, and not to `take`", () => {
  const effects = createSessionEffects();
  const frames: LineEffects[] = [];
  const delivered: string[] = [];
  effects.leave(to("a"), text("early"));
  const line = effects.connect(source, (frame) => void frames.push(frame));
  expect(effects.leave(to("a"), text("late"), () => void delivered.push("late"))).toBe("sent");
  expect(frames.map(({ injections }) => injections?.[0])).toEqual(["early", "late"]);
  line.delivered([frames[1]?.id, "unknown", 7]);
  expect(delivered).toEqual(["late"]);
  line.close();
  const again: LineEffects[] = [];
  effects.connect(source, (frame) => void again.push(frame));
  expect(again).toEqual([frames[0]]);
});

it("drops what is too old or too much, and counts it", () => {
  let time = 0;
  const effects = createSessionEffects(() => time);
  effects.leave(to("old"), text("old"));
  time = 3_600_000;
  expect(effects.take("agent", "old").injections).toEqual([]);
  for (let n = 0; n < 101; n++) effects.leave(to("chatty"), text(`${n}`));
  expect(effects.take("agent", "chatty").injections).toEqual(Array.from({ length: 100 }, (_, n) => `${n + 1}`));
  const megabyte = "x".repeat(1024 * 1024);
  for (let n = 0; n < 20; n++) effects.leave(to(`long ${n}`), text(megabyte));
  expect(effects.counters.waiting).toBeLessThanOrEqual(16);
  expect(effects.take("agent", "long 0").injections).toEqual([]);
  expect(effects.take("agent", "long 19").injections).toEqual([megabyte]);
  const { left, delivered, waiting, dropped } = effects.counters;
  expect(delivered + waiting + dropped).toBe(left);
});
