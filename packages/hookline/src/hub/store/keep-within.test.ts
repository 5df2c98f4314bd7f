import { statSync } from "node:fs";
import { join } from "node:path";
import { type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import { openStore, type Store } from "hookline/internal";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { setArrivals } from "../../../../../test/support/arrivals.js";
import { testFolder } from "../../../../../test/support/test-folder.js";

const MB = 1_000_000;
const eventually = { timeout: 60_000, interval: 50 };

async function opened(): Promise<{ readonly path: string; readonly store: Store }> {
  const path = join(testFolder(), "events.db");
  const store = await openStore(path, { ballastBytes: 0 });
  onTestFinished(() => store.close());
  return { path, store };
}

let made = 0;

function events(count: number, text: string) {
  return Array.from({ length: count }, () => {
    const envelope: Envelope = {
      v: 2,
      id: `e${++made}`,
      seq: made,
      at: new Date().toISOString(),
      event: "agent:step",
      source: { app: "a", host: "h", pid: 1, instance: "i" },
      payload: { text: `${made} ${text}` },
      hops: [],
    };
    return { envelope, body: encodeEnvelope(envelope) };
  });
}

const bytesOf = (path: string): number =>
  [path, `${path}-wal`].reduce((sum, name) => sum + (statSync(name, { throwIfNoEntry: false })?.size ?? 0), 0);

describe("a store with a limit", () => {
  it("is never much over it, however large the events are and however fast they come", async () => {
    const { path, store } = await opened();
    await store.keepWithin({ maxBytes: 50 * MB });
    let largest = 0;
    for (let round = 0; round < 20; round++) {
      await Promise.all([store.append(events(1, "x".repeat(4 * MB))), store.append(events(1, "y ".repeat(MB)))]);
      largest = Math.max(largest, bytesOf(path));
    }
    for (let round = 0; round < 20; round++) {
      await Promise.all([store.append(events(500, "small")), store.append(events(500, "small"))]);
      largest = Math.max(largest, bytesOf(path));
    }
    expect(largest).toBeGreaterThan(40 * MB);
    expect(largest).toBeLessThan(60 * MB);
    expect((await store.page({}, { limit: 1 })).events[0]?.body).toContain(`"e${made}"`);
  });

  it("gives the room back when the limit is lowered, and finds by text what is left", async () => {
    const { path, store } = await opened();
    for (let round = 0; round < 30; round++) await store.append(events(20, `word${round} ${"z".repeat(50_000)}`));
    await store.indexed();
    const before = bytesOf(path);
    expect(before).toBeGreaterThan(25 * MB);
    await store.keepWithin({ maxBytes: 5 * MB });
    await vi.waitFor(() => expect(bytesOf(path)).toBeLessThanOrEqual(6 * MB), eventually);
    const { events: left } = await store.stats();
    expect(left).toBeGreaterThan(0);
    expect((await store.page({ text: "word29" })).events.length).toBeGreaterThan(0);
    expect((await store.page({ text: "word0" })).events).toEqual([]);
  });

  it("lets go by age while nothing arrives, also what text search did not know yet", async () => {
    const { path, store } = await opened();
    await store.append(events(500, "old"));
    setArrivals(path, { 1: 3_600_000 });
    await store.keepWithin({ maxAgeMs: 60_000 });
    await vi.waitFor(async () => expect(await store.stats()).toMatchObject({ events: 0, unindexed: 0 }), eventually);
    // The store was told that this minute was an hour ago, so the next event would count as old, too.
    await store.keepWithin({});
    await store.append(events(1, "new"));
    await store.indexed();
    expect((await store.page({ text: "new" })).events).toHaveLength(1);
  });
});
