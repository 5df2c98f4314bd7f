import fc from "fast-check";
import { expect, it } from "vitest";
import { partsOf } from "../views/approvals/call-parts.js";
import { toDraft } from "../views/approvals/edit-draft.js";
import { isEnvelope } from "../views/transcript/read-transcript.js";
import { bytesText, costText, countText, durationText, pluralText, shortCount } from "./amounts.js";
import { summaryOf } from "./event-summary.js";
import { exactPieces, hiddenNotes } from "./exact.js";
import { jsonText, textOf, textsIn } from "./foreign.js";
import { inert, inertLines } from "./inert.js";
import { riskNotes } from "./risk-notes.js";
import { agoText, dayText, exactText, isoText, leftText, secondsText, shortDate, shortTimeText, timeText } from "./times.js";

const odd = fc.constantFrom<unknown>(1e20, -1e20, 1e308, -1, 0.5, null, "", "x", [], {}, { toString: null }, { valueOf: 5, toString: 5 });
const anything = fc.oneof(odd, fc.jsonValue(), fc.string({ unit: "binary" }), fc.double());
const NESTED = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`) as unknown;

it("bears whatever comes in place of a number, a time or a text", () => {
  const numbers = [bytesText, costText, countText, durationText, shortCount, dayText, exactText, leftText, secondsText, shortDate];
  const check = (value: unknown) => {
    for (const say of numbers) expect(typeof say(value as number)).toBe("string");
    expect(typeof pluralText(value as number, "thing")).toBe("string");
    expect(typeof agoText(value as number, Date.now())).toBe("string");
    for (const say of [timeText, shortTimeText]) expect(typeof say(value as number, dayText(Date.now()))).toBe("string");
    expect(["string", "undefined"]).toContain(typeof isoText(value as number));
    for (const say of [inert, inertLines]) expect(typeof say(value as string)).toBe("string");
  };
  for (const value of [1e20, Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1, NESTED]) check(value);
  fc.assert(fc.property(anything, check));
});

it("bears any payload", () => {
  const check = (value: unknown) => {
    for (const say of [summaryOf, textOf, jsonText]) expect(typeof say(value)).toBe("string");
    expect(Array.isArray([...riskNotes(value), ...textsIn(value)])).toBe(true);
    expect(typeof toDraft(value).text).toBe("string");
    expect(typeof isEnvelope(value)).toBe("boolean");
    partsOf(value);
  };
  check(NESTED);
  check({ tool: { name: "Bash", input: NESTED } });
  fc.assert(fc.property(anything, check));
  const call = fc.record({ name: anything, input: anything, callId: anything, more: anything });
  fc.assert(fc.property(fc.record({ tool: call, cwd: anything, session: anything, agent: anything, raw: anything, env: anything }), check));
});

it("loses nothing of a text but what it says it stands for", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const plain = exactPieces(text).filter(({ isSign }) => !isSign);
      let at = 0;
      for (const { text: piece } of plain) {
        at = text.indexOf(piece, at);
        expect(at).toBeGreaterThanOrEqual(0);
        at += piece.length;
      }
      expect(plain.some(({ text: piece }) => hiddenNotes(piece).some((note) => note.includes("cannot be seen")))).toBe(false);
    }),
  );
});

it("shows every part of a call, once", () => {
  const raw = {
    session_id: "s",
    tool_name: "Bash",
    tool_input: { command: "ls" },
    cwd: "/w",
    hook_event_name: "PreToolUse",
    extra: { a: [1] },
  };
  const payload = {
    session: { id: "s" },
    agent: { platform: "claude-code" },
    cwd: "/w",
    env: { LD_PRELOAD: "x" },
    transcript: "a\u202eb",
    tool: { name: "Bash", input: { command: "ls" }, callId: "c 1", args: 5 },
    raw,
  };
  expect(partsOf(payload)).toEqual({
    tool: "Bash",
    cwd: "/w",
    input: { command: "ls" },
    facts: ["agent.platform: claude-code", "raw.hook_event_name: PreToolUse"],
    rest: { env: { LD_PRELOAD: "x" }, transcript: "a\u202eb", "tool.callId": "c 1", "tool.args": 5, "raw.extra": { a: [1] } },
  });
});
