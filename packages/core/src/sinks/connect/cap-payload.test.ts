import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capPayload, cutText } from "./cap-payload.js";

describe("capPayload", () => {
  it("leaves what fits", () => {
    const payload = { a: "é", b: [1, null] };
    expect(capPayload(payload, 100)).toEqual({ payload, bytes: Buffer.byteLength(JSON.stringify(payload)) });
  });

  it("cuts long texts and says how long they were, so that the rest stays readable", () => {
    const { payload, bytes } = capPayload({ tool: { name: "bash", output: "🪝".repeat(1_000) } }, 400);
    expect(payload).toEqual({ tool: { name: "bash", output: { $hookline: "truncated", bytes: 4_000, text: "🪝".repeat(50) } } });
    expect(bytes).toBeLessThanOrEqual(400);
  });

  it("becomes a marker where cutting texts is not enough", () => {
    const list = Array.from({ length: 1_000 }, (_, index) => index);
    expect(capPayload(list, 100)).toEqual({ payload: { $hookline: "truncated", bytes: 3_891 }, bytes: 38 });
  });

  it("keeps any JSON within its size, and __proto__ as data", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }), fc.integer({ min: 64, max: 400 }), (value, maxBytes) => {
        const { payload, bytes } = capPayload(value, maxBytes);
        expect(bytes).toBeLessThanOrEqual(maxBytes);
        expect(bytes).toBe(Buffer.byteLength(JSON.stringify(payload)));
      }),
    );
    const hostile = JSON.parse(`{"__proto__":"${"x".repeat(500)}"}`) as unknown;
    expect(JSON.stringify(capPayload(hostile, 200).payload)).toContain('{"__proto__":{"$hookline":"truncated","bytes":500');
  });
});

describe("cutText", () => {
  it("never leaves half a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 0, max: 50 }), (text, maxBytes) => {
        const cut = cutText(text, maxBytes);
        expect(text.startsWith(cut)).toBe(true);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
        expect(Buffer.from(cut).toString()).toBe(cut);
      }),
    );
  });
});
