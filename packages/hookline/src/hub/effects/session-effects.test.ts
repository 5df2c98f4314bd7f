import type { EffectsFrame } from "@hookline/core/internal/wire";
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
  const frames: EffectsFrame[] = [];
  const fates: string[] = [];
  const fateOf = (name: string) => ({
    onDelivered: () => void fates.push(`${name} delivered`),
    onDropped: (reason: string) => void fates.push(`${name} dropped: ${reason}`),
  });
  effects.leave(to("a"), text("early"), fateOf("early"));
  const line = effects.connect(source, (frame) => void frames.push(frame));
  expect(effects.leave(to("a"), text("late"), fateOf("late"))).toBe("sent");
  expect(frames.map(({ injections }) => injections?.[0])).toEqual(["early", "late"]);
  line.delivered([frames[1]?.id, "unknown", 7]);
  expect(fates).toEqual(["late delivered"]);
  line.close();
  const again: EffectsFrame[] = [];
  effects.connect(source, (frame) => void again.push(frame));
  expect(again).toEqual([frames[0]]);
  effects.close();
  expect(fates).toEqual(["late delivered"]);
});

it("drops what is too old or too much, and counts it", () => {
  let time = 0;
  const effects = createSessionEffects(() => time);
  const dropped: string[] = [];
  const fate = { onDelivered: () => {}, onDropped: (reason: string) => void dropped.push(reason) };
  effects.leave(to("old"), text("old"), fate);
  time = 3_600_000;
  expect(effects.take("agent", "old").injections).toEqual([]);
  expect(dropped).toEqual(["The session came to no boundary within an hour."]);
  for (let n = 0; n < 101; n++) effects.leave(to("chatty"), text(`${n}`));
  expect(effects.take("agent", "chatty").injections).toEqual(Array.from({ length: 100 }, (_, n) => `${n + 1}`));
  const megabyte = "x".repeat(1_000_000);
  expect(effects.leave(to("huge"), text(megabyte.repeat(2)), fate)).toBe("dropped");
  expect(dropped.at(-1)).toContain("longer than");
  for (let n = 0; n < 20; n++) effects.leave(to(`long ${n}`), text(megabyte));
  expect(effects.counters.waiting).toBeLessThanOrEqual(16);
  expect(effects.take("agent", "long 0").injections).toEqual([]);
  expect(effects.take("agent", "long 19").injections).toEqual([megabyte]);
  const { left, delivered, waiting, dropped: count } = effects.counters;
  expect(delivered + waiting + count).toBe(left);
  effects.leave(to("last"), text("last"), fate);
  effects.close();
  expect(dropped.at(-1)).toBe("The hub was stopped.");
});

it("keeps interrupts apart until nothing is under way", () => {
  const effects = createSessionEffects();
  for (const words of ["1", "2"]) effects.leave(to("a"), { ...text(words), interrupt: true });
  effects.leave(to("a"), text("plain"));
  expect(effects.take("agent", "a").injections).toEqual(["plain"]);
  expect(effects.lend("agent", "b", "interrupt").injections).toEqual([]);
  expect(effects.lend("agent", "a", "interrupt").injections).toEqual(["1", "2"]);
  expect(effects.lend("agent", "a", "interrupt").injections).toEqual([]);
  effects.leave(to("a"), { ...text("3"), interrupt: true });
  effects.calm("agent", "a");
  expect(effects.lend("agent", "a", "interrupt").injections).toEqual([]);
  expect(effects.take("agent", "a").injections).toEqual(["3"]);
});

it("sends a process a few at a time, the next when it has told some, and lets go of what is too old there as well", () => {
  const effects = createSessionEffects();
  const frames: EffectsFrame[] = [];
  const line = effects.connect(source, (frame) => void frames.push(frame));
  for (let n = 0; n < 1_200; n++) effects.leave(to("a"), text(`${n}`));
  expect(frames.map(({ injections }) => injections?.[0])).toEqual(Array.from({ length: 50 }, (_, n) => `${n}`));
  expect(effects.counters).toMatchObject({ left: 1_200, dropped: 150 });
  line.delivered(frames.map(({ id }) => id));
  expect(frames).toHaveLength(100);
  expect(frames[50]?.injections).toEqual(["200"]);
});

it("gives what an operator has left to an attached agent alone", () => {
  const effects = createSessionEffects();
  const fate = { onDelivered: () => {}, onDropped: () => {} };
  effects.leave(to("a"), text("from the operator"), fate);
  effects.leave(to("a"), text("from a hook"));
  expect(effects.take("agent", "a", false).injections).toEqual(["from a hook"]);
  expect(effects.take("agent", "a").injections).toEqual(["from the operator"]);
});

it("what was lent is delivered when it was told, and otherwise waits again, before what came since", () => {
  const effects = createSessionEffects();
  const fates: string[] = [];
  const fate = { onDelivered: () => void fates.push("delivered"), onDropped: (reason: string) => void fates.push(reason) };
  effects.leave(to("a"), { injections: ["1"], reminders: [{ body: "r" }], by: "ann" }, fate);
  effects.leave(to("a"), { injections: ["stop"], reminders: [], interrupt: true, by: "bob" });
  const lost = effects.lend("agent", "a", "words");
  expect(lost).toMatchObject({ injections: ["1"], reminders: [{ body: "r" }], by: "ann" });
  effects.leave(to("a"), text("2"));
  lost.settle(false);
  lost.settle(true);
  expect([fates, effects.counters.waiting]).toEqual([[], 3]);
  const told = effects.lend("agent", "a", "words");
  expect(told.injections).toEqual(["1", "2"]);
  told.settle(true);
  told.settle(false);
  expect(fates).toEqual(["delivered"]);
  expect(effects.counters).toMatchObject({ waiting: 1, delivered: 2 });
  expect(effects.lend("agent", "a", "interrupt")).toMatchObject({ injections: ["stop"], by: "bob" });
});
