import type { Envelope } from "@hookline/core/sinks";
import { describe, expect, it } from "vitest";
import { sampleEnvelope } from "../../../../../test/support/sample-envelope.js";
import { displayWidth } from "./display-width.js";
import { detailOf, humanLine, logfmtLine } from "./event-line.js";
import { createPaint } from "./paint.js";

const plain = { paint: createPaint(false), columns: Number.POSITIVE_INFINITY };
const denied = (changes: Partial<Envelope> = {}): Envelope =>
  ({
    ...sampleEnvelope(),
    event: "tool:before",
    session: { id: "s-1" },
    payload: { session: { id: "s-1" }, tool: { name: "bash", input: { command: "rm -rf /" } } },
    decision: { verdict: "deny", by: "no-rm", reason: "not for agents", modified: false, endLoop: false },
    ...changes,
  }) as Envelope;

describe("an event on one line", () => {
  it("says who did what, and what came of it", () => {
    expect(humanLine(denied(), plain)).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} \S{1,11} +\S+ +s-1 +tool:before +deny {2}bash rm -rf \/ {2}no-rm: not for agents$/,
    );
  });

  it.each([60, 80, 100, 200])("fits %d columns and keeps the verdict's reason in sight", (columns) => {
    const long = denied({ payload: { tool: { name: "bash", input: { command: "echo 日本語 ".repeat(100) } } } });
    const line = humanLine(long, { ...plain, columns });
    expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    expect(line).toContain("no-r");
    const old = { ...long, at: new Date(2020, 0, 2).toISOString() };
    expect(displayWidth(humanLine(old, { ...plain, columns }))).toBeLessThanOrEqual(columns);
  });

  it("has its date unless it is of today", () => {
    const old = denied({ at: new Date(2020, 0, 2, 3, 4, 5, 6).toISOString() });
    expect(humanLine(old, plain)).toMatch(/^2020-01-02 03:04:05\.006 /);
    expect(humanLine(old, { ...plain, columns: 80 })).toMatch(/^2020-01-02 03:04:05 /);
  });

  it("shows hostile text and does not obey it", () => {
    const nasty = "\u001b]52;c;x\u0007\u202e\n";
    const event = denied({
      event: "x:\u001b[2J",
      source: { ...sampleEnvelope().source, app: nasty },
      session: { id: nasty },
      payload: { tool: { name: nasty, input: { command: nasty } } },
      decision: { verdict: "deny", by: nasty, reason: nasty, modified: true, endLoop: false },
    });
    for (const line of [humanLine(event, plain), logfmtLine(event)]) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

describe("what is worth seeing of a payload", () => {
  it.each([
    [{ tool: { name: "read", input: { path: "a.ts" } } }, "read a.ts"],
    [{ tool: { name: "x", input: { count: 2 } } }, 'x {"count":2}'],
    [{ tool: { name: "bash", input: { command: "ls" }, durationMs: 12.4 }, status: "ok" }, "bash ls → ok in 12 ms"],
    [{ tool: { name: "bash", input: { command: "ls" } }, status: "blocked", error: "no" }, "bash ls → blocked"],
    [{ prompt: "do it" }, "do it"],
    [{ worker: { id: "w", name: "reader", task: "read" } }, "reader: read"],
    [{ usage: { inputTokens: 1, outputTokens: 2 } }, "1 tokens in, 2 out"],
    [{ session: { id: "s" }, version: "1.2" }, "version 1.2"],
    [{ session: { id: "s" } }, ""],
    [null, ""],
    ["text", "text"],
    [[1, 2], "[1,2]"],
  ])("%j", (payload, text) => expect(detailOf({ event: "myapp:x", payload })).toBe(text));
});
