import { describe, expect, it } from "vitest";
import { decodeLine, encodeLine } from "./line.js";

const frame = { type: "tool_lifecycle", response_id: "r1", tool_name: "shell", phase: "end", payload: { exit_code: 0 } };

describe("decodeLine", () => {
  it("reads a line as codewhale writes it", () => {
    const line = JSON.stringify({ at: "2026-02-11T21:18:49.123456789+01:00", event: frame });
    expect(decodeLine(line)).toMatchObject({ at: "2026-02-11T20:18:49.123Z", event: "tool:after", payload: { status: "ok", raw: frame } });
  });

  it.each([
    ["", "not JSON"],
    ["{}{}", "not JSON"],
    ["[]", "JSON object"],
    ["{}", `"at"`],
    [JSON.stringify({ at: 5, event: frame }), `"at"`],
    [JSON.stringify({ at: "yesterday", event: frame }), `"at"`],
    [JSON.stringify({ at: "2026-13-01T00:00:00Z", event: frame }), `"at"`],
    [JSON.stringify({ at: "9999-12-31T23:59:59-23:00", event: frame }), `"at"`],
    [JSON.stringify({ at: "2026-01-01T00:00:00Z" }), "JSON object"],
    [JSON.stringify({ at: "2026-01-01T00:00:00Z", event: { type: "x" } }), `"x"`],
  ])("refuses %j", (line, why) => {
    expect(() => decodeLine(line)).toThrow(expect.objectContaining({ code: "HL_CODEC", message: expect.stringContaining(why) }));
  });
});

describe("encodeLine", () => {
  it("gives back the line, its time in UTC", () => {
    const line = JSON.stringify({ at: "2026-02-11T20:18:49.123Z", event: frame });
    expect(encodeLine(decodeLine(line))).toBe(line);
  });

  it("stays one line whatever the payload", () => {
    const payload: Record<string, unknown> = { text: "a\nb\u2028", big: 1n };
    payload.self = payload;
    const line = encodeLine({ at: "2026-02-11T20:18:49.123Z", event: "own:event", payload });
    expect(line).not.toContain("\n");
    expect(decodeLine(line)).toMatchObject({ event: "own:event", payload: { text: "a\nb\u2028", self: { $hookline: "cycle" } } });
  });
});
