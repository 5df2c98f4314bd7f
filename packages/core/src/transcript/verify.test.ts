import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { block, createBus, modify } from "../index.js";
import { seal } from "./_chain/seal.js";
import { createTranscript, type TranscriptEntry, type TranscriptHead, type Verification, verifyTranscript } from "./index.js";

let folder = "";
let lines: string[] = [];
let head: TranscriptHead = { n: 0, hash: "" };
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hookline-verify-"));
  [lines, head] = await realTranscript();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function realTranscript(): Promise<[string[], TranscriptHead]> {
  const written: string[] = [];
  const bus = createBus({ source: "tests", onError: () => {} });
  const transcript = createTranscript({ write: (line) => written.push(line) });
  transcript.attach(bus);
  bus.on("tool:before", (event) => modify({ ...event.payload, note: "gr\u00fc\u00dfe \ufffd \ud800" }), {
    name: "greet",
    stage: "rewrite",
  });
  bus.on("tool:before", async ({ payload }) => (payload.tool.name === "rm" ? block("no") : undefined), { name: "no-rm" });
  bus.on("tool:result", (event) => `${event.value}!`, { name: "louder" });
  await bus.emit("agent:start", { prompt: "🎣\n\u2028" });
  await bus.decide("tool:before", { tool: { name: "rm", input: { __proto__: null, a: [1, 2.5, -0, null, true] } } });
  await bus.transform("tool:result", "ok", { tool: { name: "ls", input: {} } });
  await bus.decide("tool:before", { tool: { name: "ls", input: {} } });
  await bus.emit("agent:end", {});
  return [written, transcript.close()];
}

const numberOf = (line: string): number => JSON.parse(line).n;
const parsed = (): TranscriptEntry[] => lines.map((line) => JSON.parse(line));
const kindsAt = ({ problems }: Verification) => problems.map(({ kind, n }) => [kind, n]);

/** Puts a changed entry back with a new hash, as a skilled attacker would. */
function reseal(entry: TranscriptEntry, changes: object, from?: TranscriptHead): string {
  const { v, n, at, prev, hash, ...body } = { ...entry, ...changes };
  return seal(body as TranscriptEntry, at, from ?? { n: n - 1, hash: prev }).line;
}

/** Changes one entry and recomputes the whole chain after it. */
function forgeFrom(index: number, changes: object): string[] {
  const entries = parsed();
  const forged = lines.slice(0, index);
  for (const entry of entries.slice(index)) {
    const before = forged.at(-1);
    const from = before === undefined ? { n: 0, hash: "0".repeat(64) } : { n: numberOf(before), hash: JSON.parse(before).hash };
    forged.push(reseal(entry, entry.n === index + 1 ? changes : {}, from));
  }
  return forged;
}

describe("a transcript as it was written", () => {
  it("is sound, from lines, entries or a file", () => {
    const path = join(folder, "sound.jsonl");
    writeFileSync(path, `${lines.join("\n")}\n`);
    for (const source of [lines, parsed(), { entries: parsed() }, path])
      expect(verifyTranscript(source, { head })).toEqual({
        ok: true,
        closed: true,
        segments: 1,
        entries: lines.length,
        head,
        id: parsed()[0]?.hash,
        problems: [],
      });
    expect(lines.length).toBeGreaterThan(15);
  });

  it("can be checked by others: SHA-256 over prev and the sorted JSON without hash", async () => {
    const { createHash } = await import("node:crypto");
    const sorted = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(sorted)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .sort(([a], [b]) => (a < b ? -1 : 1))
                .map(([key, item]) => [key, sorted(item)]),
            )
          : value;
    for (const { hash, ...entry } of parsed())
      expect(
        createHash("sha256")
          .update(entry.prev + JSON.stringify(sorted(entry)))
          .digest("hex"),
      ).toBe(hash);
  });

  it("is sound when it was not closed, and when it has no entries", () => {
    expect(verifyTranscript(lines.slice(0, -1))).toMatchObject({ ok: true, closed: false, head: { n: lines.length - 1 } });
    expect(verifyTranscript([])).toEqual({
      ok: true,
      closed: false,
      segments: 0,
      entries: 0,
      head: { n: 0, hash: "0".repeat(64) },
      problems: [],
    });
  });

  it("is checked up to a head that was kept on the way", () => {
    const { n, hash } = JSON.parse(lines[4] as string);
    expect(verifyTranscript(lines, { head: { n, hash } }).ok).toBe(true);
    expect(() => verifyTranscript(lines, { head: "abc" as never })).toThrow(expect.objectContaining({ code: "HL_BAD_OPTION" }));
  });
});

describe("what was done to it, at every entry", () => {
  const each = (run: (index: number) => void) => lines.forEach((_, index) => void run(index));

  it("an edited entry", () =>
    each((index) => {
      const edited = JSON.stringify({ ...JSON.parse(lines[index] as string), at: "2000-01-01T00:00:00.000Z" });
      const result = verifyTranscript(lines.with(index, edited), { head });
      expect(result).toMatchObject({ ok: false, problems: [{ kind: "edited", n: index + 1, line: index + 1 }] });
      expect(result.problems).toHaveLength(1);
    }));

  it("an edited entry with a recomputed hash", () =>
    each((index) => {
      const entry = JSON.parse(lines[index] as string);
      const forged = lines.with(index, reseal(entry, { at: "2000-01-01T00:00:00.000Z" }));
      expect(kindsAt(verifyTranscript(forged, { head }))).toEqual([["edited", index + 1]]);
    }));

  it("an edited entry with the whole chain recomputed, given a saved head", () =>
    each((index) => {
      const forged = forgeFrom(index, { at: "2000-01-01T00:00:00.000Z" });
      expect(verifyTranscript(forged).ok).toBe(true);
      expect(kindsAt(verifyTranscript(forged, { head }))).toEqual([["edited", head.n]]);
    }));

  it("a removed entry", () =>
    each((index) => {
      const result = verifyTranscript(lines.toSpliced(index, 1), { head });
      const isLast = index === lines.length - 1;
      expect(kindsAt(result)).toEqual([[isLast ? "truncated" : "removed", index + 1]]);
      expect(result.closed).toBe(!isLast);
    }));

  it("a cut-off tail: seen by the head, else as unclosed", () =>
    each((index) => {
      expect(kindsAt(verifyTranscript(lines.slice(0, index), { head }))).toEqual([["truncated", index + 1]]);
      expect(verifyTranscript(lines.slice(0, index))).toMatchObject({ ok: true, closed: false });
    }));

  it("two that changed places, and one that was moved", () =>
    each((index) => {
      if (index === 0) return;
      const [a, b] = lines.slice(index - 1, index + 1) as [string, string];
      expect(kindsAt(verifyTranscript(lines.toSpliced(index - 1, 2, b, a), { head }))).toEqual([["reordered", index]]);
      const moved = lines.toSpliced(index - 1, 1);
      expect(kindsAt(verifyTranscript([...moved, lines[index - 1] as string], { head }))).toEqual([["reordered", index]]);
    }));

  it("one that stands there twice, and a foreign one", () =>
    each((index) => {
      const line = lines[index] as string;
      expect(kindsAt(verifyTranscript(lines.toSpliced(index, 0, line), { head }))).toEqual([["inserted", index + 1]]);
      const foreign = reseal(JSON.parse(line), { at: "2000-01-01T00:00:00.000Z" });
      const expected = index === lines.length - 1 ? "edited" : "inserted";
      expect(verifyTranscript(lines.toSpliced(index, 0, foreign), { head }).problems.map(({ kind }) => kind)).toContain(expected);
    }));

  it("junk, and a line that was broken", () =>
    each((index) => {
      expect(verifyTranscript(lines.toSpliced(index, 0, "junk"), { head }).problems).toMatchObject([{ kind: "format", line: index + 1 }]);
      const broken = verifyTranscript(lines.with(index, (lines[index] as string).slice(0, -9)), { head });
      expect(broken.problems).toMatchObject([{ kind: index === lines.length - 1 ? "truncated" : "format", line: index + 1 }]);
    }));

  it("a hash or a time that is a list", () => {
    for (const key of ["prev", "hash", "at"] as const) {
      const [first] = parsed();
      const line = JSON.stringify({ ...first, [key]: [first?.[key]] });
      expect(kindsAt(verifyTranscript([line, ...lines.slice(1)]))[0]?.[0]).toBe("format");
    }
  });

  it("something after the closing entry", () => {
    const more = seal({ type: "open", source: { app: "a" }, instance: "i" }, "2026-01-01T00:00:00.000Z", head).line;
    expect(kindsAt(verifyTranscript([...lines, more]))).toEqual([["inserted", lines.length + 1]]);
  });

  it("a chain that begins elsewhere", () => {
    const other = seal({ type: "open", source: { app: "a" }, instance: "i" }, "2026-01-01T00:00:00.000Z", {
      n: 0,
      hash: "1".repeat(64),
    }).line;
    expect(kindsAt(verifyTranscript([other]))).toEqual([["edited", 1]]);
  });
});

describe("any change of any byte", () => {
  it("is found", () => {
    const whole = Buffer.from(`${lines.join("\n")}\n`);
    const path = join(folder, "mutated.jsonl");
    const place = fc.nat(whole.length - 1);
    const mutation = fc.oneof(
      fc.tuple(place, fc.integer({ min: 1, max: 255 })).map(([at, flip]) => {
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] as number) ^ flip;
        return bytes;
      }),
      fc.tuple(place, fc.nat(255)).map(([at, byte]) => Buffer.concat([whole.subarray(0, at), Buffer.from([byte]), whole.subarray(at)])),
      place.map((at) => Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1)])),
      fc
        .tuple(place, fc.integer({ min: 1, max: 400 }))
        .map(([at, size]) => Buffer.concat([whole.subarray(0, at), whole.subarray(at + size)])),
    );
    fc.assert(
      fc.property(mutation, (bytes) => {
        fc.pre(!bytes.equals(whole));
        writeFileSync(path, bytes);
        const { ok, problems } = verifyTranscript(path, { head });
        expect(ok).toBe(false);
        expect(problems.every(({ message }) => message.length < 300)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("is found without a head too, as long as the closing entry is there", () => {
    const path = join(folder, "every-byte.jsonl");
    const short = [lines[0] as string];
    for (const entry of [parsed()[1], parsed().at(-1)]) {
      const { n, hash } = JSON.parse(short.at(-1) as string);
      short.push(reseal(entry as TranscriptEntry, {}, { n, hash }));
    }
    const whole = Buffer.from(`${short.join("\n")}\n`);
    writeFileSync(path, whole);
    expect(verifyTranscript(path)).toMatchObject({ ok: true, closed: true });
    for (let at = 0; at < whole.length; at++) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
      writeFileSync(path, bytes);
      expect(verifyTranscript(path).ok, `byte ${at}`).toBe(false);
    }
  });

  it("is found where it changes no value", () => {
    const line = lines[1] as string;
    const ways = [
      ` ${line}`,
      line.replace(":", ": "),
      `${line}\r`,
      line.replace('"emitted"', '"\\u0065mitted"'),
      line.replace('"n":2', '"n":2.0'),
    ];
    ways.push(line.replace('"n":2', '"n":2,"n":2'), `\ufeff${line}`);
    for (const way of ways) expect(verifyTranscript(lines.with(1, way)).ok, way).toBe(false);
  });
});
