import { encodeEnvelope } from "@hookline/core/sinks";
import { describe, expect, it } from "vitest";
import { makeEnvelope, startHttpHub } from "../../../../../test/support/http-hub.ts";
import type { Arrival } from "../parts.js";
import type { EventFilter } from "../store/store.js";
import { createEventMatcher } from "./event-matcher.js";
import { createLive } from "./live.js";
import { searchSlices } from "./time-slices.js";

function arrival(place: number, parts: Parameters<typeof makeEnvelope>[0] = {}): Arrival {
  const envelope = makeEnvelope(parts);
  return { place, envelope, body: encodeEnvelope(envelope) };
}

describe("live", () => {
  it("tells each watcher what it wants, in order, until it stops", () => {
    const live = createLive();
    const [all, tools]: number[][] = [[], []];
    const stopAll = live.watch({}, (arrivals) => all?.push(...arrivals.map(({ place }) => place)));
    live.watch({ events: ["tool:*"] }, (arrivals) => tools?.push(...arrivals.map(({ place }) => place)));
    expect(live.watchers).toBe(2);
    live.publish([arrival(1), arrival(2, { event: "tool:before" })]);
    stopAll();
    stopAll();
    live.publish([arrival(3), arrival(4, { event: "tool:after" })]);
    expect([all, tools, live.watchers]).toEqual([[1, 2], [2, 4], 1]);
  });

  it("gives those with the same filter the very same list", () => {
    const live = createLive();
    const seen: (readonly Arrival[])[] = [];
    live.watch({ events: ["tool:*", "agent:step"] }, (arrivals) => seen.push(arrivals));
    live.watch({ events: ["agent:step", "tool:*"] }, (arrivals) => seen.push(arrivals));
    live.publish([arrival(1), arrival(2, { event: "session:end" })]);
    expect(seen[0]).toHaveLength(1);
    expect(seen[0]).toBe(seen[1]);
  });

  it("goes on when a watcher fails, and when one stops another", () => {
    const live = createLive();
    const seen: string[] = [];
    let stopThird = (): void => {};
    live.watch({}, () => {
      stopThird();
      throw new Error("a watcher of the test fails");
    });
    live.watch({}, () => seen.push("second"));
    stopThird = live.watch({}, () => seen.push("third"));
    live.publish([arrival(1)]);
    expect(seen).toEqual(["second"]);
  });

  it("finds for each of many texts what it is in, in order", async () => {
    const live = createLive();
    const seen = Array.from({ length: 100 }, (): number[] => []);
    for (const [index, places] of seen.entries())
      live.watch({ text: `w${index}-end` }, (arrivals) => places.push(...arrivals.map(({ place }) => place)));
    const words = (place: number): string => Array.from({ length: 20 }, (_, i) => `W${(place * 7 + i) % 100} énd`).join(", ");
    for (let place = 1; place <= 50; place += 2)
      live.publish([arrival(place, { payload: { text: words(place) } }), arrival(place + 1, { payload: { text: words(place + 1) } })]);
    await searchSlices.run([]);
    const all = Array.from({ length: 50 }, (_, index) => index + 1);
    const wanted = seen.map((_, index) => all.filter((place) => words(place).split(", ").includes(`W${index} énd`)));
    expect(seen).toEqual(wanted);
  });

  it("tells only those that watch for text when searching does not keep up", async () => {
    const live = createLive(1_000);
    const told: string[] = [];
    live.watch(
      {},
      () => told.push("all"),
      () => told.push("all behind"),
    );
    live.watch(
      { text: "step" },
      () => told.push("text"),
      () => told.push("text behind"),
    );
    live.publish([arrival(1, { payload: { text: "x".repeat(1_000) } })]);
    live.publish([arrival(2)]);
    expect(told).toEqual(["all", "all", "text behind"]);
    await searchSlices.run([]);
    live.publish([arrival(3)]);
    await searchSlices.run([]);
    expect(told.slice(3)).toEqual(["text", "all", "text"]);
  });
});

describe("a live filter", () => {
  it("means what the store's reader makes of it", async () => {
    const { parts } = await startHttpHub();
    const now = Date.now();
    const source = { app: "other", host: "", pid: 0, instance: "i7" };
    const decision = { verdict: "deny", modified: false, endLoop: false } as const;
    const shapes: Parameters<typeof makeEnvelope>[0][] = [
      {},
      { event: "tool:before", payload: { tool: { name: "bash", input: { command: "rm -rf Ünïcode" } } }, decision },
      { event: "tool:after", payload: { tool: { name: 7 } }, session: { id: "s1" } },
      { event: "tool:after", payload: { tool: null }, source },
      { event: "deploy:prod:done", payload: null, at: new Date(now - 100_000).toISOString() },
      { event: "deploy:done", payload: "text alone", at: new Date(now).toISOString() },
      { payload: [`${"é,".repeat(40_000)}beyond`] },
      { payload: "within ".repeat(20_000) },
      { event: "tools:odd", payload: ["no-rm", "a\nb"], decision: { ...decision, verdict: "allow" } },
      { decision: { ...decision, trail: [{ actor: { kind: "guard", name: "careful" }, stage: "guard", round: 0, action: "ask" }] } },
      { decision: { ...decision, verdict: "ask" } },
    ];
    const taken = shapes
      .map((shape) => parts.ingest.acceptEnvelope(makeEnvelope(shape)))
      .flatMap((result) => ("code" in result ? [] : [result]));
    await parts.ingest.append(taken);
    await parts.store.indexed();
    const filters: EventFilter[] = [
      {},
      { events: [] },
      { events: ["*"] },
      { events: ["tool:*"] },
      { events: ["deploy:*"] },
      { events: ["deploy:prod:*", "agent:step"] },
      { events: ["tool:after", "*"] },
      { session: "s1" },
      { source: "other" },
      { source: "i7" },
      { source: "agent" },
      { tool: "bash" },
      { tool: "BASH" },
      { tool: "7" },
      { decision: "deny" },
      { decision: "allow" },
      { decision: "pass" },
      { decision: "ask" },
      { since: now },
      { until: now },
      { since: now - 100_000, until: now - 99_999 },
      { text: "rm" },
      { text: "unicode bash" },
      { text: "no-rm" },
      { text: "nb" },
      { text: "---" },
      { text: "beyond" },
      { text: "within within-with" },
      { text: "e" },
      { events: ["tool:*"], decision: "deny", text: "command" },
    ];
    expect(await parts.store.after(0, { decision: "ask" }, 100)).toHaveLength(2);
    expect(await parts.store.after(0, { tool: "Bash" }, 100)).toEqual(await parts.store.after(0, { tool: "bash" }, 100));
    expect(await parts.store.after(0, { tool: "Bash" }, 100)).not.toEqual([]);
    for (const filter of filters) {
      const found = (await parts.store.after(0, filter, 100)).map(({ place }) => place);
      const matches = createEventMatcher(filter) ?? (() => true);
      const live = taken.map(({ envelope, body }, index) => ({ place: index + 1, envelope, body })).filter(matches);
      expect([filter, live.map(({ place }) => place)]).toEqual([filter, found]);
    }
  });
});
