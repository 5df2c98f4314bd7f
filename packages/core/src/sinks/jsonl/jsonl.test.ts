import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { batchOf, idsOf } from "../../../../../test/conformance/envelopes.js";
import { temporaryFolder } from "../../../../../test/conformance/temporary-folder.js";
import { decodeEnvelope } from "../../catalog/envelope.js";
import { createJsonlSink, defaultJsonlPath, type JsonlSinkOptions } from "./jsonl.js";

const { signal } = new AbortController();
const modeOf = (path: string): number => statSync(path).mode & 0o777;

function idsIn(path: string): string[] {
  const text = path.endsWith(".gz") ? gunzipSync(readFileSync(path)).toString() : readFileSync(path, "utf8");
  return idsOf(text.split("\n").slice(0, -1).map(decodeEnvelope));
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("createJsonlSink", () => {
  it("makes file and folders for their owner alone, and syncs when asked", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "a", "b", "events.jsonl");
    const before = process.umask(0);
    try {
      const sink = createJsonlSink({ path, fsync: true });
      const batch = batchOf(3);
      expect(await sink.send(batch, signal)).toEqual({ status: "sent" });
      await sink.close();
      expect(idsIn(path)).toEqual(idsOf(batch));
    } finally {
      process.umask(before);
    }
    expect([path, join(path, ".."), join(path, "../..")].map(modeOf)).toEqual([0o600, 0o700, 0o700]);
  });

  it("stands by default in the user's state folder, and never where others can write", async () => {
    using folder = temporaryFolder();
    vi.stubEnv("XDG_STATE_HOME", folder.path);
    expect(defaultJsonlPath()).toBe(join(folder.path, "hookline", "events.jsonl"));
    await createJsonlSink().close();
    chmodSync(join(folder.path, "hookline"), 0o777);
    expect(() => createJsonlSink()).toThrow(expect.objectContaining({ code: "HL_SINK_PATH" }));
    vi.stubEnv("XDG_STATE_HOME", "relative/folder");
    expect(defaultJsonlPath()).not.toContain("relative");
  });

  it("refuses links, folders and pipes, also ones that come later", async () => {
    using folder = temporaryFolder();
    const target = join(folder.path, "target");
    writeFileSync(target, "");
    symlinkSync(target, join(folder.path, "link.jsonl"));
    expect(() => createJsonlSink({ path: join(folder.path, "link.jsonl") })).toThrow(expect.objectContaining({ code: "HL_SINK_PATH" }));
    expect(() => createJsonlSink({ path: folder.path })).toThrow(expect.objectContaining({ code: "HL_SINK_IO" }));
    expect(() => createJsonlSink({ path: "/dev/null" })).toThrow(expect.objectContaining({ code: "HL_SINK_PATH" }));
    const path = join(folder.path, "events.jsonl");
    const sink = createJsonlSink({ path });
    rmSync(path);
    symlinkSync(target, path);
    expect(await sink.send(batchOf(1), signal)).toMatchObject({ status: "retry", cause: { code: "HL_SINK_PATH" } });
    expect(readFileSync(target, "utf8")).toBe("");
    await sink.close();
  });

  it("follows its path when the file was moved, deleted, or its folder removed", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "sub", "events.jsonl");
    const sink = createJsonlSink({ path });
    const [first, second, third, fourth] = [batchOf(1), batchOf(1), batchOf(1), batchOf(1)];
    sink.sendSync(first);
    renameSync(path, join(folder.path, "moved"));
    sink.sendSync(second);
    expect([idsIn(join(folder.path, "moved")), idsIn(path)]).toEqual([idsOf(first), idsOf(second)]);
    rmSync(path);
    sink.sendSync(third);
    expect(idsIn(path)).toEqual(idsOf(third));
    rmSync(join(folder.path, "sub"), { recursive: true });
    sink.sendSync(fourth);
    expect(idsIn(path)).toEqual(idsOf(fourth));
    await sink.close();
  });

  it("moves the file away by size and keeps as many as asked", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "events.jsonl");
    writeFileSync(join(folder.path, "events-of-mine.jsonl"), "");
    const sink = createJsonlSink({ path, maxBytes: 1_000, keep: 2 });
    const batches = Array.from({ length: 6 }, () => batchOf(2, () => "x".repeat(200)));
    for (const batch of batches) await sink.send(batch, signal);
    await sink.close();
    const moved = readdirSync(folder.path).filter((name) => /^events-\d/.test(name));
    expect(moved.sort().flatMap((name) => idsIn(join(folder.path, name)))).toEqual(batches.slice(3, 5).flatMap(idsOf));
    expect(idsIn(path)).toEqual(idsOf(batches[5] ?? []));
    expect(readdirSync(folder.path)).toContain("events-of-mine.jsonl");
  });

  it("moves the file away by age", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "events.jsonl");
    const sink = createJsonlSink({ path, maxAgeMs: 1 });
    sink.sendSync(batchOf(1));
    const born = statSync(path).birthtimeMs;
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(born + 1));
    sink.sendSync(batchOf(1));
    await sink.close();
    expect(readdirSync(folder.path)).toHaveLength(2);
  });

  it("compresses what it moved away before it is closed", async () => {
    using folder = temporaryFolder();
    const sink = createJsonlSink({ path: join(folder.path, "events.jsonl"), maxBytes: 1, gzip: true });
    const batches = [batchOf(3), batchOf(2), batchOf(1)];
    for (const batch of batches) sink.sendSync(batch);
    await sink.close();
    const names = readdirSync(folder.path).sort();
    expect(names.map((name) => name.replace(/^.*?\./, "."))).toEqual([".jsonl.gz", ".jsonl.gz", ".jsonl"]);
    expect(names.map((name) => idsIn(join(folder.path, name)))).toEqual(batches.map(idsOf));
    expect(names.map((name) => modeOf(join(folder.path, name)))).toEqual([0o600, 0o600, 0o600]);
  });

  it("asks for another try while it cannot write, and leaves nothing of it", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "events.jsonl");
    const sink = createJsonlSink({ path });
    rmSync(path);
    mkdirSync(path);
    expect(sink.sendSync(batchOf(1))).toMatchObject({ status: "retry", cause: { code: "HL_SINK_IO" } });
    rmSync(path, { recursive: true });
    const batch = batchOf(1);
    expect(sink.sendSync(batch)).toEqual({ status: "sent" });
    expect(idsIn(path)).toEqual(idsOf(batch));
    await sink.close();
  });

  it("refuses unknown options", () => {
    const wrong: object[] = [{ path: "" }, { path: "a\0b" }, { maxBytes: 0 }, { keep: 1.5 }, { fsync: "yes" }, { name: "a b" }];
    for (const options of wrong)
      expect(() => createJsonlSink(options as JsonlSinkOptions)).toThrow(expect.objectContaining({ code: "HL_BAD_OPTION" }));
    expect(() => createJsonlSink({ maxByte: 1 } as JsonlSinkOptions)).toThrow('Did you mean "maxBytes"?');
  });
});
