import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeFrame, type FrameFault, FrameReader, type Framing } from "./frame-reader.js";

function reading(framing?: Framing, maxBytes = 1_000) {
  const frames: string[] = [];
  const faults: FrameFault[] = [];
  const found: Framing[] = [];
  const reader = new FrameReader({
    framing,
    maxBytes,
    onFrame: (text) => frames.push(text),
    onFault: (fault) => faults.push(fault),
    onDetected: (given) => found.push(given),
  });
  return { reader, frames, faults, found };
}

const messages = fc.array(
  fc.string({ unit: "binary" }).map((text) => JSON.stringify({ text })),
  { minLength: 1, maxLength: 8 },
);

describe("FrameReader", () => {
  it.each(["newline", "content-length"] as const)("reads %s frames however they are cut, told or found out", (framing) => {
    fc.assert(
      fc.property(messages, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), fc.boolean(), (texts, cuts, isTold) => {
        const { reader, frames, faults, found } = reading(isTold ? framing : undefined);
        const bytes = Buffer.from(texts.map((text) => encodeFrame(text, framing)).join(""));
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = cuts[turn % cuts.length] ?? 1;
          reader.push(bytes.subarray(at, at + size));
          at += size;
        }
        reader.end();
        expect(frames).toEqual(texts);
        expect(faults).toEqual([]);
        expect(found).toEqual(isTold ? [] : [framing]);
      }),
    );
  });

  it("takes any bytes without a throw, and reads the next line all the same", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
        const { reader, frames } = reading("newline");
        reader.push(Buffer.from(noise));
        reader.push(Buffer.from('\n{"a":1}\n'));
        expect(frames.at(-1)).toBe('{"a":1}');
        const other = reading("content-length");
        other.reader.push(Buffer.from(noise));
        other.reader.end();
        const unknown = reading();
        unknown.reader.push(Buffer.from(noise));
        unknown.reader.end();
      }),
    );
  });

  it("passes over a greeting, whichever framing follows", () => {
    for (const framing of ["newline", "content-length"] as const) {
      const { reader, frames, faults } = reading();
      reader.push(Buffer.from(`Contented to meet you\n\n${encodeFrame('{"a":1}', framing)}`));
      expect({ frames, faults }).toEqual({ frames: ['{"a":1}'], faults: ["not_a_frame"] });
    }
  });

  it("cannot continue after an invalid header", () => {
    const bad = ["Content-Length: -1\r\n\r\n", "Content-Length: x\r\n\r\n", "Content-Type: a\r\n\r\n", `${"h".repeat(2_000)}`];
    for (const header of bad) {
      const { reader, frames, faults } = reading("content-length");
      reader.push(Buffer.from(header));
      reader.push(Buffer.from(encodeFrame("{}", "content-length")));
      expect({ frames, faults }).toEqual({ frames: [], faults: ["bad_header"] });
    }
  });

  it("holds no more than a frame's worth", () => {
    const long = reading("content-length");
    long.reader.push(Buffer.from("Content-Length: 1001\r\n\r\n"));
    expect(long.faults).toEqual(["oversize", "bad_header"]);
    const line = reading("newline");
    line.reader.push(Buffer.from(`${"x".repeat(1_001)}\n{}\n`));
    expect(line).toMatchObject({ faults: ["oversize"], frames: ["{}"] });
    const unknown = reading();
    unknown.reader.push(Buffer.alloc(1_001, "x"));
    expect(unknown.faults).toEqual(["oversize"]);
  });
});
