import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFrame } from "./frames.js";
import { type LineFault, LineReader } from "./line-reader.js";

function reading(maxBytes = 1000) {
  const lines: string[] = [];
  const faults: LineFault[] = [];
  const reader = new LineReader({ maxBytes, onLine: (line) => lines.push(line), onFault: (fault) => faults.push(fault) });
  return { reader, lines, faults };
}

function pieces(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0, i = 0; start < bytes.length; i++) {
    const end = start + (sizes[i % sizes.length] ?? 1);
    parts.push(bytes.subarray(start, end));
    start = end;
  }
  return parts;
}

describe("LineReader", () => {
  it("gives the same lines however the bytes are cut, characters of several bytes too", () => {
    const text = fc.array(fc.string({ unit: "binary", minLength: 1, maxLength: 20 }), { maxLength: 20 });
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 }), (texts, sizes) => {
        const sent = [...texts, "🪝 漢字"].map((one) => JSON.stringify(one));
        const { reader, lines, faults } = reading();
        for (const piece of pieces(Buffer.from(`${sent.join("\n")}\n`), sizes)) reader.push(piece);
        expect(lines).toEqual(sent);
        expect(faults).toEqual([]);
      }),
    );
  });

  it("skips a line that is too long to its end, in one piece or many, and reads on", () => {
    for (const size of [1, 7, 4096]) {
      const { reader, lines, faults } = reading(16);
      for (const piece of pieces(Buffer.from(`${"x".repeat(16)}\n${"y".repeat(17)}\n${"z".repeat(500)}\nok\n`), [size])) reader.push(piece);
      expect(lines).toEqual(["x".repeat(16), "ok"]);
      expect(faults).toEqual(["oversize", "oversize"]);
    }
  });

  it("says what is not UTF-8 and what is half a line, and passes over empty lines", () => {
    const { reader, lines, faults } = reading();
    reader.push(Buffer.from([0xff, 0xfe, 10, 10, 13, 10, 0xc3, 10]));
    reader.push(Buffer.from("good\nha"));
    reader.end();
    reader.end();
    expect(lines).toEqual(["good"]);
    expect(faults).toEqual(["not_utf8", "not_utf8", "truncated"]);
  });
});

describe("parseFrame", () => {
  it("takes objects, with whatever keys", () => {
    expect(parseFrame('{"type":"x"}\r')).toEqual({ type: "x" });
    const frame = parseFrame('{"__proto__":{"type":"verdict"}}');
    expect((frame as { type?: unknown }).type).toBeUndefined();
  });

  it("names what is wrong with the rest", () => {
    for (const line of ["{", "nonsense", '\ufeff{"a":1}', '{"a":1}{"b":2}']) expect(parseFrame(line)).toBe("not_json");
    for (const line of ["1", "null", '"text"', "[]"]) expect(parseFrame(line)).toBe("not_object");
    expect(parseFrame(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)).toBe("too_deep");
  });
});
