import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeEnvelope, type Envelope } from "@hookline/core/sinks";
import { describe, expect, it } from "vitest";
import { hubFolder, TestHub } from "../support/test-hub.ts";
import { runProgram } from "./run-program.ts";

function spooled(folder: string): Envelope[] {
  const all = existsSync(folder) ? readdirSync(folder) : [];
  const names = all.filter((name) => /^\w+\.\d+\.[\w-]+\.(ndjson|live)$/.test(name));
  // A process has a socket there as long as it has a file that is not finished, and so one that was killed leaves both.
  const writers = new Set(names.flatMap((name) => (name.endsWith(".live") ? [`${name.split(".")[2]}.sock`] : [])));
  expect(all.filter((name) => !names.includes(name))).toEqual([...writers]);
  return names.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1).map(decodeEnvelope));
}

/** Every number once, whether the hub has it or will collect it. */
function expectAll(count: number, ...found: readonly Envelope[][]): void {
  const numbers = new Set(found.flat().map(({ seq }) => seq));
  expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
}

const ended = {
  natural: { code: 0, signal: null },
  exit: { code: 7, signal: null },
  uncaught: { code: 1, signal: null },
  rejection: { code: 1, signal: null },
  SIGTERM: { code: null, signal: "SIGTERM" },
  SIGINT: { code: null, signal: "SIGINT" },
  SIGHUP: { code: null, signal: "SIGHUP" },
  worker: { code: 0, signal: null },
} as const;

describe("nothing that was taken is lost when a process ends", () => {
  it.each(Object.keys(ended) as (keyof typeof ended)[])("by %s, with a hub that stands still", async (way) => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    hub.isAckHeld = true;
    const { code, signal } = await runProgram("forward-somehow", [folder.state, way, "2000"]);
    expect({ code, signal }).toEqual(ended[way]);
    // A signal leaves no time for listeners of `exit`.
    expectAll(signal === null ? 2_001 : 2_000, spooled(folder.spool));
  });

  it("by the end of the program, with a hub: all of it is sent, and only the last word spooled", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    const { code, stderr } = await runProgram("forward-somehow", [folder.state, "natural", "2000"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expectAll(2_001, [...hub.stored.values()], spooled(folder.spool));
    expect(hub.stored.size).toBe(2_000);
  });

  it("by a signal that the host handles itself", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    hub.isAckHeld = true;
    const { code, signal } = await runProgram("forward-somehow", [folder.state, "handled", "100"]);
    expect({ code, signal }).toEqual({ code: 3, signal: null });
    expectAll(102, spooled(folder.spool));
    expect(readdirSync(folder.spool).length).toBeLessThanOrEqual(2);
  });

  it("by a closed line, which leaves nothing to say", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    await runProgram("forward-somehow", [folder.state, "closed", "100"]);
    expectAll(100, [...hub.stored.values()]);
    expect(spooled(folder.spool)).toEqual([]);
  });

  it("but not without flushOnSignals, and without a hub nothing is written", async () => {
    using folder = hubFolder();
    await runProgram("forward-somehow", [folder.state, "exit", "100"]);
    expect(existsSync(folder.spool)).toBe(false);
    await using hub = await TestHub.start(folder.state);
    hub.isAckHeld = true;
    const { signal } = await runProgram("forward-somehow", [folder.state, "SIGTERM", "100", '{"flushOnSignals":false}']);
    expect(signal).toBe("SIGTERM");
    expect(spooled(folder.spool)).toEqual([]);
  });
});

describe("a durable line", () => {
  it("survives kill -9, with and without a hub", async () => {
    using folder = hubFolder();
    const alone = await runProgram("forward-somehow", [folder.state, "SIGKILL", "500", '{"durable":true}']);
    expect(alone.signal).toBe("SIGKILL");
    expectAll(500, spooled(folder.spool));
    expect(new Set(readdirSync(folder.spool).map((name) => name.split(".").at(-1)))).toEqual(new Set(["live", "sock"]));
    using other = hubFolder();
    await using hub = await TestHub.start(other.state);
    await runProgram("forward-somehow", [other.state, "SIGKILL", "500", '{"durable":true}']);
    expectAll(500, [...hub.stored.values()], spooled(other.spool));
  });

  it("leaves its rest to the hub when the process ends", async () => {
    using folder = hubFolder();
    await runProgram("forward-somehow", [folder.state, "exit", "500", '{"durable":true}']);
    expectAll(501, spooled(folder.spool));
    expect(readdirSync(folder.spool).every((name) => name.endsWith(".ndjson"))).toBe(true);
  });
});
