import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { decodeEnvelope, type Envelope } from "@hookline/core/sinks";
import { describe, expect, it } from "vitest";
import { runProgram } from "./run-program.ts";
import { temporaryFolder } from "./temporary-folder.ts";

function linesIn(path: string): Envelope[] {
  const text = path.endsWith(".gz") ? gunzipSync(readFileSync(path)).toString() : readFileSync(path, "utf8");
  expect(text === "" || text.endsWith("\n")).toBe(true);
  return text.split("\n").slice(0, -1).map(decodeEnvelope);
}

function linesBelow(folder: string): Envelope[] {
  return readdirSync(folder).flatMap((name) => linesIn(join(folder, name)));
}

async function writeFrom(writers: number, lines: number, path: string, options: object): Promise<void> {
  const endings = await Promise.all(
    Array.from({ length: writers }, (_, writer) => runProgram("write-lines", [path, `w${writer}`, String(lines), JSON.stringify(options)])),
  );
  for (const { code, stdout, stderr } of endings)
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `{"sent":${lines}}\n`, stderr: "" });
}

function expectAllOf(writers: number, lines: number, found: readonly Envelope[]): void {
  const ids = found.map(({ id }) => id);
  const expected = Array.from({ length: writers * lines }, (_, index) => `w${Math.floor(index / lines)}-${index % lines}`);
  expect(new Set(ids).size).toBe(expected.length);
  expect([...new Set(ids)].sort()).toEqual(expected.sort());
}

describe("jsonl, written by many processes,", () => {
  it("has every line of 32 writers whole, and each writer's in order", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "events.jsonl");
    await writeFrom(32, 200, path, {});
    const found = linesIn(path);
    expect(found).toHaveLength(32 * 200);
    expectAllOf(32, 200, found);
    for (let writer = 0; writer < 32; writer++) {
      const own = found.filter(({ source }) => source.instance === `w${writer}`).map(({ seq }) => seq);
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
  });

  it("loses nothing while they all rotate and compress", async () => {
    using folder = temporaryFolder();
    await writeFrom(8, 200, join(folder.path, "events.jsonl"), { maxBytes: 50_000, gzip: true });
    const names = readdirSync(folder.path);
    expect(names.filter((name) => name.endsWith(".gz")).length).toBeGreaterThan(5);
    expect(names.filter((name) => name.endsWith(".tmp"))).toEqual([]);
    for (const name of names) expect(statSync(join(folder.path, name)).mode & 0o777).toBe(0o600);
    expectAllOf(8, 200, linesBelow(folder.path));
  });

  it("leaves no half line when there is no more room, and asks for another try", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "events.jsonl");
    // Blocks of 512 bytes: no file of it may grow beyond 8 KiB, which cuts a write short as a full disk does.
    const { stdout } = await runProgram("write-lines", [path, "w0", "200"], "ulimit -f 16");
    const [refused, ended] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { sent: number });
    expect(refused).toEqual({ sent: ended?.sent, status: "retry", code: "HL_SINK_IO" });
    expect(linesIn(path)).toHaveLength(ended?.sent as number);
    await writeFrom(1, 50, path, {});
    expect(linesIn(path)).toHaveLength((ended?.sent as number) + 50);
  });
});

describe("jsonl, when the process ends,", () => {
  const EVENTS = 2_000;
  const indexesIn = (path: string): number[] =>
    existsSync(path) ? linesIn(path).map(({ payload }) => (payload as { index: number }).index) : [];
  const all = Array.from({ length: EVENTS }, (_, index) => index);

  async function end(
    way: string,
    options: object,
  ): Promise<{ indexes: number[]; sent: number; code: number | null; signal: string | null }> {
    using folder = temporaryFolder();
    const path = join(folder.path, "events.jsonl");
    const { stdout, code, signal } = await runProgram("end-somehow", [path, way, String(EVENTS), JSON.stringify(options)], "ulimit -c 0");
    const { accepted, sent } = JSON.parse(stdout) as { accepted: number; sent: number };
    expect(accepted).toBe(EVENTS);
    return { indexes: indexesIn(path), sent, code, signal };
  }

  it.each([
    ["exit", 7],
    ["uncaught", 1],
    ["rejection", 1],
    ["natural", 0],
  ])("has everything that was accepted, and what exit listeners add: %s", async (way, status) => {
    const { indexes, sent, code } = await end(way, {});
    expect(code).toBe(status);
    expect(sent).toBeLessThan(EVENTS);
    expect(indexes).toEqual([...all, -1]);
  });

  it("has everything after a signal, which ends the process as if nobody had heard it", async () => {
    const { indexes, signal } = await end("SIGTERM", {});
    expect(signal).toBe("SIGTERM");
    expect(indexes).toEqual(all);
  });

  it.each(["SIGTERM", "abort", "SIGKILL"])("has everything it had called sent, where no code can run any more: %s", async (way) => {
    const { indexes, sent, signal } = await end(way, { flushOnSignals: false });
    expect(signal).not.toBeNull();
    expect(sent).toBeGreaterThan(0);
    expect(indexes.length).toBeGreaterThanOrEqual(sent);
    expect(indexes).toEqual(all.slice(0, indexes.length));
  });

  it.each(["SIGTERM", "abort", "SIGKILL"])("has everything even so with writeThrough: %s", async (way) => {
    const { indexes, sent, signal } = await end(way, { writeThrough: true });
    expect(signal).not.toBeNull();
    expect(sent).toBe(EVENTS);
    expect(indexes).toEqual(all);
  });
});
