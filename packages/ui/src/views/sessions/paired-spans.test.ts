import { expect, it } from "vitest";
import type { TimelineSpan } from "../../api/answers.js";
import { pairSpans, sumsOf } from "./paired-spans.js";

let at = 0;
function call(detail: string, more: Partial<TimelineSpan> = {}): TimelineSpan {
  at += 10;
  return { id: `s${at}`, eventId: `e${at}`, kind: "tool", name: "Bash", startAt: at, endAt: at + 5, detail, status: "ok", ...more };
}

it("puts what both sessions did side by side, and what one did instead beside the other's", () => {
  const left = [call("ls"), call("npm test"), call("git push")];
  const right = [call("ls"), call("npm run build"), call("npm test"), call("git push", { verdict: "deny" })];
  const shown = pairSpans(left, right).map(({ left: a, right: b, isSame }) => [a?.detail, isSame ? "=" : "|", b?.detail]);
  expect(shown).toEqual([
    ["ls", "=", "ls"],
    [undefined, "|", "npm run build"],
    ["npm test", "=", "npm test"],
    ["git push", "|", "git push"],
  ]);
});

it("adds up what a session did, and takes gates and waiting out of the time in tools", () => {
  const spans = [call("a", { gateMs: 2 }), call("b", { verdict: "deny" }), call("c", { asked: "d", waitMs: 1, status: "error" })];
  expect(sumsOf(spans)).toEqual({
    calls: 3,
    denied: 1,
    asked: 1,
    rewritten: 1,
    failed: 1,
    lastedMs: 25,
    inToolsMs: 12,
    waitedMs: 1,
  });
  expect(sumsOf([]).lastedMs).toBe(0);
});
