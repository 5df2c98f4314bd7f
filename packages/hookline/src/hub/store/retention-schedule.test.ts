import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import { openStore, type Store } from "hookline/internal";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { keepWithin, type Retention, type RetentionLimits } from "./retention-schedule.js";

const SOON = 5_000;
const PERIOD = 600_000;
const HOUR = 3_600_000;

let folder: string;
let store: Store;
let retention: Retention | undefined;
const problems: string[] = [];
const asked: RetentionLimits[] = [];
const runs: Promise<number>[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hookline-retention-"));
  store = await openStore(join(folder, "events.db"));
  for (const list of [problems, asked, runs]) list.length = 0;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(async () => {
  retention?.close();
  vi.useRealTimers();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Keeps the store within limits, and notes what it is asked for. */
function keep(limits: RetentionLimits): Retention {
  const noted = {
    retain(given: RetentionLimits) {
      asked.push(given);
      runs.push(store.retain(given));
      return runs.at(-1) as Promise<number>;
    },
  };
  retention = keepWithin(noted, limits, (text) => void problems.push(text));
  return retention;
}

/** So much later, with everything done that was begun by then. */
async function later(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await settled();
}

async function settled(): Promise<void> {
  await Promise.allSettled(runs);
  await new Promise<void>((resolve) => setImmediate(resolve));
}

async function append(...ages: readonly number[]): Promise<void> {
  const source = { app: "a", host: "h", pid: 1, instance: "i" };
  const events = ages.map((ageMs): Envelope => {
    const at = new Date(Date.now() - ageMs).toISOString();
    return { v: 2, id: `age-${ageMs}`, seq: 1, at, event: "agent:step", source, payload: {}, hops: [] };
  });
  await store.append(events.map((envelope) => ({ envelope, body: encodeEnvelope(envelope) })));
}

const count = async (): Promise<number> => (await store.stats()).events;

describe("keepWithin", () => {
  it("removes what is too old a little after the start, and from time to time", async () => {
    await append(3 * HOUR, 0);
    keep({ maxAgeMs: 2 * HOUR });
    await later(SOON - 1);
    expect(asked).toEqual([]);
    await later(1);
    expect(await count()).toBe(1);
    expect(asked).toEqual([{ maxAgeMs: 2 * HOUR, maxBytes: 2 * 1024 ** 3 }]);
    await append(4 * HOUR);
    await later(PERIOD);
    expect(await count()).toBe(1);
    expect(asked).toHaveLength(2);
  });

  it("applies other limits soon, and those that are the same in their time", async () => {
    await append(3 * HOUR, 2 * HOUR, 0);
    const { adopt } = keep({});
    await later(SOON);
    expect(await count()).toBe(3);
    adopt({});
    await later(PERIOD - 1);
    expect(asked).toHaveLength(1);
    adopt({ maxAgeMs: 2.5 * HOUR });
    adopt({ maxAgeMs: HOUR, maxBytes: 10 ** 9 });
    await later(SOON - 1);
    expect(asked).toHaveLength(1);
    await later(1);
    expect(asked.slice(1)).toEqual([{ maxAgeMs: HOUR, maxBytes: 10 ** 9 }]);
    expect(await count()).toBe(1);
    adopt({ maxBytes: 10 ** 9, maxAgeMs: HOUR });
    await later(PERIOD - 1);
    expect(asked).toHaveLength(2);
    await later(1);
    expect(asked).toHaveLength(3);
  });

  it("applies limits that come during a run soon after it", async () => {
    await append(3 * HOUR);
    const { adopt } = keep({});
    vi.advanceTimersByTime(SOON);
    adopt({ maxAgeMs: HOUR });
    vi.advanceTimersByTime(PERIOD);
    expect(asked).toHaveLength(1);
    await settled();
    await later(SOON);
    expect(asked).toHaveLength(2);
    expect(await count()).toBe(0);
  });

  it("says what failed, and goes on", async () => {
    keep({});
    await store.close();
    await later(SOON);
    expect(problems).toEqual([expect.stringMatching(/^Old events could not be removed: /)]);
    await later(PERIOD);
    expect(problems).toHaveLength(2);
  });

  it("does nothing once it is closed, and says nothing of a run that was cut short", async () => {
    const { adopt, close } = keep({});
    await store.close();
    vi.advanceTimersByTime(SOON);
    close();
    adopt({ maxAgeMs: HOUR });
    await settled();
    await later(2 * PERIOD);
    expect(asked).toHaveLength(1);
    expect(problems).toEqual([]);
  });
});
