import { join } from "node:path";
import { bucketOf, quantile } from "@hookline/core/internal/text";
import { type DecisionStep, type DecisionSummary, type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import { openStore, type Store } from "hookline/internal";
import { describe, expect, it, onTestFinished } from "vitest";
import { sampleEnvelope } from "../../../../../test/support/sample-envelope.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { eachStep, packSteps, readWho } from "./handler-steps.js";
import { HUB } from "./handler-tally.js";

const MINUTE = 60_000;
// The middle of an hour, so that a range has minutes on both sides of one.
const NOW = Date.parse("2026-03-01T12:30:20.000Z");
const minuteOf = (at: number): number => Math.floor(at / MINUTE);

type More = Partial<Omit<DecisionStep, "actor"> & DecisionStep["actor"]>;

function step(name: string, action: string, { kind = "guard", owner, at, ...more }: More = {}): DecisionStep {
  const actor = { kind, name, ...(owner !== undefined && { owner }), ...(at !== undefined && { at }) };
  return { actor, stage: "guard", round: 0, action, ...more };
}

function decided(at: number, trail: readonly DecisionStep[], more: Partial<DecisionSummary> = {}, app = "agent"): Envelope {
  const source = { app, host: "h", pid: 7, instance: "i1" };
  const decision = { verdict: "pass", modified: false, endLoop: false, trail, ...more } as const;
  return sampleEnvelope({ at: new Date(at).toISOString(), event: "tool:before", source, decision });
}

async function opened(path = join(testFolder(), "events.db")): Promise<Store> {
  const store = await openStore(path, { ballastBytes: 0 });
  onTestFinished(() => store.close());
  return store;
}

async function put(store: Store, ...envelopes: Envelope[]): Promise<void> {
  await store.append(envelopes.map((envelope) => ({ envelope, body: encodeEnvelope(envelope) })));
}

const last = (minutes: number, app = "agent") => ({ app, fromMinute: minuteOf(NOW) - minutes + 1, untilMinute: minuteOf(NOW) });

describe("what handlers did", () => {
  it("is counted from the trails of decisions, once for an event that comes twice", async () => {
    const store = await opened();
    const first = decided(NOW, [
      step("guard", "pass", { durationMs: 1 }),
      step("other", "no-match"),
      step("late", "not-reached"),
      step("guard", "deny", { round: 1, durationMs: 100 }),
    ]);
    const failing = [step("guard", "failed", { failure: "timeout" }), step("open", "failed", { failure: "crash" })];
    await put(store, first, first, decided(NOW - MINUTE, [step("guard", "ask")]));
    await put(store, first, decided(NOW, failing, { verdict: "deny", by: "guard" }), sampleEnvelope({ event: "tool:before" }));
    const rows = await store.handlers(last(15));
    expect(rows).toEqual([
      {
        owner: "",
        handler: "guard",
        event: "tool:before",
        calls: 4,
        denied: 2,
        asked: 1,
        failed: 1,
        lastAt: NOW,
        times: expect.anything(),
      },
      { owner: "", handler: "open", event: "tool:before", calls: 1, denied: 0, asked: 0, failed: 1, lastAt: NOW, times: [] },
    ]);
    expect([0.5, 0.99].map((share) => quantile(rows[0]?.times ?? [], share))).toEqual([1, 110]);
  });

  it("is the hub's where a guard of the hub's did it, whichever process asked", async () => {
    const store = await opened();
    const rule = { owner: "rules", durationMs: 2 };
    await put(
      store,
      decided(NOW, [step("hub", "deny", { durationMs: 9 }), step("no-rm", "deny", { ...rule, at: "hub" })], { verdict: "deny", by: "hub" }),
      decided(NOW, [step("hub", "pass"), step("no-rm", "pass", { ...rule, at: "hub" })], {}, "other"),
      decided(NOW, [step("no-rm", "pass", { ...rule, at: "hub" })], {}, "claude-code"),
      // A process with rules of its own.
      decided(NOW, [step("no-rm", "pass", rule)]),
    );
    expect(await store.handlers(last(1, HUB))).toMatchObject([{ owner: "rules", handler: "no-rm", calls: 3, denied: 1 }]);
    expect(await store.handlers(last(1))).toMatchObject([
      { owner: "", handler: "hub", calls: 1, denied: 1 },
      { owner: "rules", handler: "no-rm", calls: 1, denied: 0 },
    ]);
  });

  it("is right to the minute for a day back, and to the hour for longer", async () => {
    const store = await opened();
    const ages = [0, 14, 15, 59, 60, 61, 359, 360, 1_439, 1_440, 10_000, 30_000];
    await put(store, ...ages.map((age) => decided(NOW - age * MINUTE, [step("guard", "pass", { durationMs: 3 })])));
    await put(store, decided(NOW + 40 * MINUTE, [step("guard", "pass")]));
    const calls = async (minutes: number) => (await store.handlers(last(minutes)))[0]?.calls;
    for (const minutes of [1, 15, 60, 61, 360, 1_440]) expect(await calls(minutes)).toBe(ages.filter((age) => age < minutes).length);
    expect([await calls(10_080), await calls(44_640)]).toEqual([11, 12]);
    expect((await store.handlers(last(44_640)))[0]?.times).toEqual([[bucketOf(3), 12]]);
    expect((await store.handlers({ ...last(1), fromMinute: minuteOf(NOW) + 60, untilMinute: minuteOf(NOW) + 61 }))[0]).toMatchObject({
      calls: 0,
      times: [],
      lastAt: NOW + 40 * MINUTE,
    });
  });

  it("goes with the events, but for when that was at last, also over a restart", async () => {
    const path = join(testFolder(), "events.db");
    const before = await openStore(path, { ballastBytes: 0 });
    await put(before, decided(NOW, [step("guard", "pass", { durationMs: 3 })]));
    await before.fired([{ app: HUB, owner: "rules", handler: "watch", event: "tool:after", lastAt: NOW }]);
    await before.fired([{ app: HUB, owner: "rules", handler: "watch", event: "tool:after", lastAt: NOW - 1 }]);
    await before.retain({ maxAgeMs: 0 });
    await before.close();
    const store = await opened(path);
    expect(await store.handlers(last(60))).toMatchObject([{ handler: "guard", calls: 0, lastAt: NOW, times: [] }]);
    expect(await store.handlers(last(60, HUB))).toMatchObject([{ handler: "watch", event: "tool:after", calls: 0, lastAt: NOW }]);
  });

  it("is not crowded out by names that occur once, and takes any name for text", async () => {
    const store = await opened();
    const names = ["__proto__", "x'; DROP TABLE handlers; --", "tab\tand\nline", "日本", "", "n".repeat(1_000)];
    await put(store, ...names.map((name) => decided(NOW, [step(name, "pass", { owner: name, durationMs: Number.POSITIVE_INFINITY })])));
    expect((await store.handlers(last(1))).map(({ handler }) => handler).sort()).toEqual(names.map((name) => name.slice(0, 200)).sort());
    const steps = Array.from({ length: 50 }, (_, index) => index);
    await put(
      store,
      ...steps.map((event) =>
        decided(
          NOW,
          steps.map((index) => step(`once-${event}-${index}`, "pass")),
        ),
      ),
    );
    const rows = await store.handlers(last(1));
    expect([rows.length, rows.find(({ handler }) => handler === "(others)")?.calls]).toEqual([1_007, 1_500]);
  });
});

describe("packed steps", () => {
  it("are what they were", () => {
    const trail = [
      step("a", "pass", { owner: "o", durationMs: 0 }),
      step("日\u0000本", "deny"),
      step("", "ask", { at: "hub", durationMs: 1e12 }),
    ];
    const packed = packSteps({ verdict: "deny", modified: false, endLoop: false, trail });
    const seen: unknown[] = [];
    eachStep(packed ?? "", (who, flags, bucket) => seen.push([readWho(who), flags, bucket]));
    expect(seen).toEqual([
      [{ owner: "o", handler: "a" }, 0, bucketOf(0)],
      [{ owner: "", handler: "日\u0000本" }, 1, undefined],
      [{ owner: "", handler: "" }, 10, bucketOf(3_600_000)],
    ]);
  });
});
