import { type Bus, createBus, type HookEvent, inject, remind } from "@hookline/core";
import type { Envelope } from "@hookline/core/sinks";
import { describe, expect, it, vi } from "vitest";
import type { Arrival } from "../parts.js";
import { createRepublisher } from "./republish.js";

let count = 0;
function arrival(event: string, payload: unknown = {}): Arrival {
  const source = { app: "agent", host: "h", pid: 1, instance: "i1" };
  const envelope: Envelope = { v: 2, id: `e${++count}`, seq: count, at: new Date().toISOString(), event, source, payload, hops: [] };
  return { place: count, envelope, body: JSON.stringify(envelope) };
}

function busWith(): Bus {
  return createBus({ source: "hub", onError: () => {} });
}

describe("createRepublisher", () => {
  it("shows observers what has arrived, stamped, in order and not within the call", async () => {
    const bus = busWith();
    const seen: unknown[] = [];
    bus.on("session:end", (event: HookEvent) => void seen.push(event.payload));
    const republisher = createRepublisher(bus);
    republisher.publish([
      arrival("session:end", { n: 1, _forwarded_from: "liar" }),
      arrival("agent:step"),
      arrival("session:end", { n: 2 }),
    ]);
    expect(seen).toEqual([]);
    await vi.waitFor(() => expect(seen).toHaveLength(2));
    expect(seen).toMatchObject([
      { n: 1, _forwarded: true, _forwarded_from: "agent" },
      { n: 2, _forwarded: true, _forwarded_from: "agent" },
    ]);
    expect(republisher.counters).toEqual({ published: 2, dropped: 0, waiting: 0 });
  });

  it("shows events to observers, and to guards and transforms only where they were not asked", async () => {
    const bus = busWith();
    const seen: string[] = [];
    bus.on("tool:*", () => void seen.push("watched"), { stage: "observe" });
    bus.on("tool:before", () => void seen.push("guarded"), { priority: 1 });
    bus.on("tool:result", () => void seen.push("transformed"));
    const asked = [arrival("tool:before"), arrival("tool:result")];
    const republisher = createRepublisher(bus, { wasAsked: ({ id }) => asked.some(({ envelope }) => envelope.id === id) });
    republisher.publish(asked);
    await vi.waitFor(() => expect(seen).toEqual(["watched"]));
    republisher.publish([arrival("tool:before"), arrival("tool:result"), arrival("tool:after")]);
    await vi.waitFor(() => expect(seen).toEqual(["watched", "guarded", "watched", "transformed", "watched", "watched"]));
    expect(republisher.counters.published).toBe(4);
  });

  it("gives what handlers leave, to its listener or to who told of the event at once", async () => {
    const bus = busWith();
    bus.on("tool:after", () => [inject("text"), remind({ body: "later" })], { name: "left" });
    const left: unknown[] = [];
    const republisher = createRepublisher(bus, { onEffects: (_, effects) => void left.push(effects) });
    const effects = { injections: ["text"], reminders: [{ spec: { body: "later" }, by: "left" }] };
    const told = arrival("tool:after");
    expect(await republisher.tell(told.envelope)).toEqual(effects);
    republisher.publish([told, arrival("tool:after")]);
    await vi.waitFor(() => expect(left).toEqual([effects]));
    expect(republisher.counters.published).toBe(2);
  });

  it("costs nothing without handlers", () => {
    const republisher = createRepublisher(busWith());
    republisher.publish([arrival("session:end")]);
    expect(republisher.counters).toEqual({ published: 0, dropped: 0, waiting: 0 });
  });

  it("lets no more wait for slow handlers than it may, and counts the rest", async () => {
    const bus = busWith();
    const open: (() => void)[] = [];
    bus.on("session:end", () => new Promise<void>((resolve) => void open.push(resolve)), { timeoutMs: 0 });
    const republisher = createRepublisher(bus);
    republisher.publish(Array.from({ length: 10_100 }, () => arrival("session:end")));
    await vi.waitFor(() => expect(open).toHaveLength(64));
    expect(republisher.counters).toEqual({ published: 64, dropped: 100, waiting: 9_936 });
    open.splice(0).map((resolve) => resolve());
    await vi.waitFor(() => expect(republisher.counters.published).toBe(128));
  });

  it("goes on past handlers that fail", async () => {
    const bus = busWith();
    const seen: unknown[] = [];
    bus.on("session:end", () => Promise.reject(new Error("boom")));
    bus.on("session:end", (event) => void seen.push(event.name));
    createRepublisher(bus).publish([arrival("session:end"), arrival("session:end")]);
    await vi.waitFor(() => expect(seen).toHaveLength(2));
  });
});
