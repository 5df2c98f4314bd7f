import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeReply, KEEPALIVE, readReply, SEPARATOR } from "./reply-format.js";
import { MAX_REPLY_BYTES } from "./reply-size.js";

const seal = "seal_of_the_hub-0123456789";
const question = { nonce: "0123456789abcdef0123456789abcdef", agent: "codex", native: "PreToolUse" };
const text = fc
  .string({ unit: "binary", maxLength: 200 })
  .map((any) => Buffer.from(any.replaceAll("\0", "").replaceAll(SEPARATOR, "")).toString());
const reply = fc.record({ stdout: text, stderr: text, exitCode: fc.integer({ min: 0, max: 255 }) });

describe("a sealed reply", () => {
  it("is read as it was written, after any number of blank lines", () => {
    fc.assert(
      fc.property(reply, fc.nat({ max: 5 }), (said, held) => {
        expect(readReply(seal, Buffer.concat([Buffer.from(KEEPALIVE.repeat(held)), encodeReply(seal, said, question)]), question)).toEqual(
          said,
        );
      }),
    );
  });

  it("is refused under another seal, and if a byte is missing or too many", () => {
    const whole = encodeReply(seal, { stdout: "out", stderr: "err", exitCode: 2 }, question);
    const read = (body: Buffer) => readReply(seal, body, question);
    expect(readReply("another_seal-0123456789", whole, question)).toBeUndefined();
    expect(readReply("", whole, question)).toBeUndefined();
    for (let length = 0; length < whole.length; length++) expect(read(whole.subarray(0, length))).toBeUndefined();
    for (const more of ["\n", "x", SEPARATOR]) expect(read(Buffer.concat([whole, Buffer.from(more)]))).toBeUndefined();
    expect(read(Buffer.concat([Buffer.from("x\n"), whole]))).toBeUndefined();
    for (const [from, to] of [
      [" 2 3 3", " 256 3 3"],
      [" 2 3 3", " 02 3 3"],
      ["out", "OUT"],
    ] as const)
      expect(read(Buffer.from(whole.toString().replace(from, to)))).toBeUndefined();
  });

  it("is refused as the answer to any other question", () => {
    const whole = encodeReply(seal, { stdout: "out", stderr: "", exitCode: 0 }, question);
    expect(whole.toString()).not.toContain(seal);
    for (const other of [{ nonce: "f".repeat(32) }, { agent: "gemini" }, { native: "PostToolUse" }])
      expect(readReply(seal, whole, { ...question, ...other })).toBeUndefined();
    expect(readReply(seal, encodeReply(seal, { stdout: "out", stderr: "", exitCode: 0 }), question)).toBeUndefined();
  });

  it("drops only what a shell cannot carry, and never exceeds the limit of its reader", () => {
    const said = readReply(seal, encodeReply(seal, { stdout: `a\0b${SEPARATOR}c`, stderr: "", exitCode: 0 }, question), question);
    expect(said?.stdout).toBe("a\ufffdb\ufffdc");
    const long = { stdout: "x".repeat(MAX_REPLY_BYTES), stderr: "", exitCode: 0 };
    expect(() => encodeReply(seal, long)).toThrow(expect.objectContaining({ code: "HL_LIMIT" }));
  });
});
