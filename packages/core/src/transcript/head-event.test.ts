import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { block, createBus } from "@hookline/core";
import { createTranscript, verifyTranscript } from "@hookline/core/transcript";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-head-"));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

interface Told {
  readonly id: string;
  readonly n: number;
  readonly hash: string;
  readonly closed: boolean;
  readonly path?: string;
}

function listening() {
  const bus = createBus({ source: "agent" });
  const told: Told[] = [];
  bus.on("tool:before", () => block("no"));
  bus.on("transcript:head", ({ payload }) => void told.push(payload.transcript as Told));
  return { bus, told };
}

describe("transcript:head", () => {
  it("tells the bus of the head when recording begins, at most every ten seconds while entries come, and at the end", async () => {
    const { bus, told } = listening();
    const path = join(folder, "a.jsonl");
    const transcript = createTranscript({ path });
    transcript.attach(bus);
    expect(told).toEqual([{ id: transcript.head.hash, n: 1, hash: transcript.head.hash, closed: false, path }]);
    for (let n = 0; n < 5; n++) await bus.decide("tool:before", { tool: { name: "rm", input: {} } });
    vi.advanceTimersByTime(9_999);
    expect(told).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(told[1]).toMatchObject({ ...transcript.head, closed: false });
    vi.advanceTimersByTime(60_000);
    expect(told).toHaveLength(2);
    const head = transcript.close();
    expect(told[2]).toMatchObject({ ...head, closed: true });
    // What is told is not recorded, and names the chain that the file has.
    expect(verifyTranscript(path, { head: told })).toMatchObject({ ok: true, closed: true, id: told[0]?.id, entries: 17 });
  });

  it("names a transcript that is continued as before, and tells nothing of one in memory", () => {
    const { bus, told } = listening();
    const path = join(folder, "a.jsonl");
    createTranscript({ path }).attach(bus)();
    createTranscript({ path }).attach(bus);
    expect(told.map(({ id, n }) => [id, n])).toEqual([
      [told[0]?.hash, 1],
      [told[0]?.hash, 2],
    ]);
    createTranscript().attach(bus);
    expect(told).toHaveLength(2);
  });

  it("lets any of the heads reveal a cut tail and a recomputed chain", async () => {
    const { bus, told } = listening();
    const path = join(folder, "a.jsonl");
    const transcript = createTranscript({ path });
    transcript.attach(bus);
    await bus.decide("tool:before", { tool: { name: "rm", input: {} } });
    transcript.close();
    const lines = (await import("node:fs")).readFileSync(path, "utf8").trimEnd().split("\n");
    expect(verifyTranscript(lines.slice(0, -2), { head: told }).problems).toMatchObject([{ kind: "truncated" }]);
    const forged = { ...(told[0] as Told), hash: "0".repeat(64) };
    expect(verifyTranscript(path, { head: [forged, ...told] }).problems).toMatchObject([{ kind: "edited", n: 1 }]);
  });
});
