import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBus } from "../index.js";
import { seal } from "./_chain/seal.js";
import { createTranscript, readTranscript, type TranscriptOptions, verifyTranscript } from "./index.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-transcript-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const newPath = () => join(folder, `t${++count}.jsonl`);
const codeOf = (code: string) => expect.objectContaining({ code });

function record(path: string, events: number, options: TranscriptOptions = {}) {
  const bus = createBus({ source: "tests" });
  const transcript = createTranscript({ path, ...options });
  transcript.attach(bus);
  for (let i = 0; i < events; i++) bus.emitSync("agent:step", { i, text: "größer 🎣" });
  return { bus, transcript };
}

describe("a file", () => {
  it("is made for its owner alone, whatever the umask", () => {
    const umask = process.umask(0);
    try {
      const path = newPath();
      record(path, 1).transcript.close();
      expect(statSync(path).mode & 0o777).toBe(0o600);
    } finally {
      process.umask(umask);
    }
  });

  it("holds every entry as soon as it is recorded, one per line", () => {
    const path = newPath();
    const { transcript } = record(path, 3);
    expect(transcript.entries).toEqual([]);
    expect(readFileSync(path, "utf8").split("\n")).toHaveLength(5);
    expect(readTranscript(path)).toMatchObject({
      truncated: false,
      entries: [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4, hash: transcript.head.hash }],
    });
    expect(verifyTranscript(path)).toMatchObject({ ok: true, closed: false, head: transcript.head });
    const head = transcript.close();
    expect(verifyTranscript(path, { head })).toMatchObject({ ok: true, closed: true, entries: 5 });
  });

  it("goes on where it stopped when it is opened again", () => {
    const path = newPath();
    record(path, 2);
    const { transcript } = record(path, 2);
    transcript.close();
    expect(readTranscript(path).entries.map(({ type }) => type)).toEqual([
      "open",
      "emitted",
      "emitted",
      "open",
      "emitted",
      "emitted",
      "close",
    ]);
    expect(verifyTranscript(path)).toMatchObject({ ok: true, entries: 7 });
  });

  it("goes on after an entry longer than one read", () => {
    const path = newPath();
    const { bus } = record(path, 0);
    bus.emitSync("agent:step", { text: "é".repeat(300_000) });
    record(path, 1);
    expect(verifyTranscript(path)).toMatchObject({ ok: true, entries: 4 });
  });

  it("begins in a file that is there and empty", () => {
    const path = newPath();
    writeFileSync(path, "");
    record(path, 1).transcript.close();
    expect(verifyTranscript(path).ok).toBe(true);
  });

  it("cuts off the unfinished line of a crash, at every byte of it, and says so", () => {
    const path = newPath();
    record(path, 2);
    const whole = readFileSync(path);
    const lastLine = whole.lastIndexOf(10, whole.length - 2) + 1;
    for (let size = lastLine; size < whole.length; size += 7) {
      writeFileSync(path, whole.subarray(0, size));
      record(path, 1);
      const { entries } = readTranscript(path);
      expect(entries[2]).toMatchObject(size === lastLine ? { type: "open" } : { type: "open", recovered: size - lastLine });
      expect(verifyTranscript(path)).toMatchObject({ ok: true, entries: 4 });
    }
    writeFileSync(path, whole.subarray(0, 20));
    record(path, 1);
    expect(readTranscript(path).entries[0]).toMatchObject({ n: 1, recovered: 20 });
  });

  it("goes on in a new segment after the closing entry", () => {
    const path = newPath();
    const first = record(path, 1).transcript.close();
    const before = readFileSync(path, "utf8");
    const second = record(path, 1).transcript;
    expect(verifyTranscript(path, { head: first })).toMatchObject({ ok: true, closed: false, segments: 2 });
    const last = second.close();
    createTranscript({ path }).close();
    expect(readFileSync(path, "utf8").startsWith(before)).toBe(true);
    expect(readTranscript(path).entries.map(({ n, type, ...rest }) => [n, type, (rest as { continues?: number }).continues])).toEqual([
      [1, "open", undefined],
      [2, "emitted", undefined],
      [3, "close", undefined],
      [4, "open", 3],
      [5, "emitted", undefined],
      [6, "close", undefined],
      [7, "open", 6],
      [8, "close", undefined],
    ]);
    for (const head of [undefined, first, last])
      expect(verifyTranscript(path, head && { head })).toMatchObject({ ok: true, closed: true, segments: 3, entries: 8 });
  });

  it("goes on in the same segment after a crash within it", () => {
    const path = newPath();
    record(path, 1).transcript.close();
    record(path, 1);
    record(path, 1).transcript.close();
    expect(verifyTranscript(path)).toMatchObject({ ok: true, closed: true, segments: 2, entries: 8 });
  });

  it("shows what was done to its segments, as far as the chain can", () => {
    const path = newPath();
    record(path, 1).transcript.close();
    record(path, 2).transcript.close();
    const head = record(path, 1).transcript.close();
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const [first, second, third] = [lines.slice(0, 3), lines.slice(3, 7), lines.slice(7)] as const;
    const kindsOf = (...parts: readonly (readonly string[])[]) => verifyTranscript(parts.flat(), { head }).problems.map(({ kind }) => kind);
    expect(kindsOf(first, second, third)).toEqual([]);
    expect(kindsOf(second, third)).toEqual(["removed"]);
    expect(kindsOf(first, third)).toEqual(["removed"]);
    expect(kindsOf(first, second)).toEqual(["truncated"]);
    expect(kindsOf(second, first, third)).toContain("reordered");
    expect(kindsOf(first, second, second, third)).toContain("inserted");
    // Without the closing entry the segment after it has nothing to continue.
    expect(kindsOf(first.slice(0, -1), second, third)).toEqual(["removed"]);
    // Only a saved head shows that a segment at the end is missing.
    expect(verifyTranscript([...first, ...second])).toMatchObject({ ok: true, closed: true, segments: 2 });
  });

  it("takes nothing else after the closing entry", () => {
    const path = newPath();
    const head = record(path, 1).transcript.close();
    const at = "2026-01-01T00:00:00.000Z";
    const source = { app: "stranger" };
    for (const body of [
      { type: "emitted", id: "x", event: "agent:step", kind: "observe", payload: {} },
      { type: "open", source, instance: "i" },
      { type: "open", source, instance: "i", continues: 2 },
    ] as const) {
      const forged = seal(body, at, head).line;
      expect(verifyTranscript([...readFileSync(path, "utf8").trimEnd().split("\n"), forged])).toMatchObject({
        ok: false,
        problems: [{ kind: "inserted", n: 4 }],
      });
    }
  });

  it.each([
    ["another text", "hello\n"],
    ["another text without a line end", "hello"],
    ["JSON that is not an entry", '{"v":1}\n'],
    ["an empty line", "\n"],
    ["an unfinished line of another kind", '{"at":"2026'],
  ])("refuses %s and leaves it as it was", (_, content) => {
    const path = newPath();
    writeFileSync(path, content);
    expect(() => createTranscript({ path })).toThrow(codeOf("HL_TRANSCRIPT_FORMAT"));
    expect(readFileSync(path, "utf8")).toBe(content);
  });

  it("refuses a transcript whose end was edited, or is followed by something else", () => {
    const path = newPath();
    record(path, 1);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace('"i":0', '"i":1'));
    expect(() => createTranscript({ path })).toThrow(codeOf("HL_TRANSCRIPT_FORMAT"));
    writeFileSync(path, text);
    appendFileSync(path, "note to self");
    expect(() => createTranscript({ path })).toThrow(codeOf("HL_TRANSCRIPT_FORMAT"));
  });

  it("refuses a file that is not regular or cannot be opened", () => {
    const loop = newPath();
    symlinkSync(loop, loop);
    for (const path of [folder, join(folder, "no", "such"), "/dev/null", loop])
      expect(() => createTranscript({ path })).toThrow(codeOf("HL_TRANSCRIPT_IO"));
  });
});

describe("what can go wrong while writing", () => {
  it.each([
    ["deleted", (path: string) => rmSync(path)],
    ["cut", (path: string) => truncateSync(path, 10)],
    ["appended to", (path: string) => appendFileSync(path, "x")],
  ])("notices that the file was %s", (_, damage) => {
    const path = newPath();
    const errors: string[] = [];
    const { bus, transcript } = record(path, 1, { onError: ({ code, message }) => errors.push(`${code} ${message}`) });
    damage(path);
    bus.emitSync("agent:step", {});
    bus.emitSync("agent:step", {});
    transcript.close();
    expect(transcript.lost).toBe(3);
    expect(errors).toEqual([expect.stringContaining(`HL_TRANSCRIPT_IO The transcript "${path}" cannot be written`)]);
  });

  it("lets one of two writers go on and the other one know", () => {
    const path = newPath();
    const first = record(path, 1, { onError: () => {} });
    const second = record(path, 1);
    first.bus.emitSync("agent:step", {});
    expect([first.transcript.lost, second.transcript.lost]).toEqual([1, 0]);
    expect(verifyTranscript(path)).toMatchObject({ ok: true, entries: 4 });
  });
});

// Node runs our TypeScript as it is, but for the `.js` in its imports.
const LOADER = `import { registerHooks } from "node:module";
registerHooks({ resolve: (name, context, next) => { try { return next(name, context); } catch { return next(name.replace(/\\.js$/, ".ts"), context); } } });`;

function runChild(script: string, limits = ""): ReturnType<typeof spawnSync> {
  const file = join(folder, `child${++count}.mjs`);
  const source = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const imports = `import { createBus } from ${source("../index.ts")}; import { createTranscript } from ${source("./index.ts")};`;
  writeFileSync(file, `${imports}\n${script}`);
  const loader = `data:text/javascript,${encodeURIComponent(LOADER)}`;
  return spawnSync("bash", ["-c", `${limits} exec "$@"`, "bash", process.execPath, "--import", loader, file], { encoding: "utf8" });
}

describe("a process that ends", () => {
  it.each([
    ["by process.exit", "process.exit(3)"],
    ["by a signal", 'process.kill(process.pid, "SIGKILL")'],
    ["by an exception", 'throw new Error("out")'],
  ])("%s has written everything", (name, end) => {
    const path = newPath();
    runChild(`const bus = createBus({ source: "child" });
createTranscript({ path: ${JSON.stringify(path)} }).attach(bus);
for (let i = 0; i < 500; i++) bus.emitSync("agent:step", { i });
${end}`);
    const { entries, truncated } = readTranscript(path);
    expect([name, entries.length, truncated]).toEqual([name, 501, false]);
    expect(verifyTranscript(path)).toMatchObject({ ok: true, closed: false });
  });

  it("that has run out of space keeps whole lines, counts the rest, and goes on when there is room", () => {
    const path = newPath();
    // A limit on the file's size cuts a write in two just as a full disk does; after four of these events a small one still fits.
    const { stdout, stderr } = runChild(
      `const errors = [];
const bus = createBus({ source: "child" });
const transcript = createTranscript({ path: ${JSON.stringify(path)}, onError: (error) => errors.push(error.code) });
transcript.attach(bus);
for (let i = 0; i < 10; i++) bus.emitSync("agent:step", { text: "x".repeat(3000) });
bus.emitSync("agent:end", {});
console.log(JSON.stringify({ lost: transcript.lost, errors, head: transcript.head }));`,
      "ulimit -f 16;",
    );
    expect(stderr).toBe("");
    const { lost, errors, head } = JSON.parse(String(stdout));
    expect([lost, errors]).toEqual([6, ["HL_TRANSCRIPT_IO"]]);
    const { entries, truncated } = readTranscript(path);
    expect(truncated).toBe(false);
    expect(entries.at(-1)).toMatchObject({ type: "emitted", event: "agent:end", lostBefore: 6 });
    expect(verifyTranscript(path, { head })).toMatchObject({ ok: true, entries: 6 });
  });
});

describe("reading", () => {
  it("names the line that is not an entry", () => {
    const path = newPath();
    record(path, 2);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    writeFileSync(path, [lines[0], "junk", lines[2], ""].join("\n"));
    expect(() => readTranscript(path)).toThrow(`Line 2 of "${path}" is not a transcript entry: it is not JSON.`);
    expect(() => readTranscript([lines[0] as string, "[]"])).toThrow("Line 2 is not a transcript entry: it is not an object.");
  });

  it("gives what stands before an unfinished last line", () => {
    const path = newPath();
    record(path, 2);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.slice(0, -30));
    expect(readTranscript(path)).toMatchObject({ truncated: true, entries: [{ n: 1 }, { n: 2 }] });
    expect(readTranscript(text.slice(0, -30).split("\n"))).toMatchObject({ truncated: true, entries: [{ n: 1 }, { n: 2 }] });
    expect(readTranscript(text.split("\n"))).toMatchObject({ truncated: false, entries: [{ n: 1 }, { n: 2 }, { n: 3 }] });
    expect(readTranscript([])).toEqual({ entries: [], truncated: false });
  });

  it.each([
    ["v", '"v":1', '"v":2'],
    ["n", '"n":2', '"n":0'],
    ["at", /"at":"[^"]*"/, '"at":"today"'],
    ["hash", /"hash":"[^"]*"/, '"hash":"x"'],
    ["type", '"type":"emitted"', '"type":"toString"'],
    ["event", '"event":"agent:step"', '"event":5'],
    ["payload", /"payload":\{[^}]*\},/, ""],
  ])("says what is wrong with a line: %s", (key, from, to) => {
    const path = newPath();
    record(path, 1);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const broken = (lines[1] as string).replace(from, to);
    expect(() => readTranscript([lines[0] as string, broken])).toThrow(`"${key}"`);
  });

  it("does not choke on great depth, broken UTF-8 or a missing file", () => {
    const deep = `{"v":1,"n":1,"at":"2026-01-01T00:00:00.000Z","type":"emitted","event":"a:b","id":"i","kind":"observe","payload":${"[".repeat(100_000)}${"]".repeat(100_000)},"prev":"${"0".repeat(64)}","hash":"${"0".repeat(64)}"}`;
    expect(() => readTranscript([deep])).toThrow(codeOf("HL_TRANSCRIPT_FORMAT"));
    expect(verifyTranscript([deep]).problems).toMatchObject([{ kind: "format", line: 1 }]);
    const path = newPath();
    writeFileSync(path, Buffer.from([0x7b, 0xff, 0x0a]));
    expect(() => readTranscript(path)).toThrow("it is not UTF-8");
    expect(() => readTranscript(newPath())).toThrow(codeOf("HL_TRANSCRIPT_IO"));
    expect(() => verifyTranscript(newPath())).toThrow(codeOf("HL_TRANSCRIPT_IO"));
    mkdirSync(join(folder, "dir"));
    expect(() => readTranscript(join(folder, "dir"))).toThrow(codeOf("HL_TRANSCRIPT_IO"));
  });
});
