import { describe, expect, it } from "vitest";
import type { PlacedEvent } from "../../api/answers.js";
import { toRow } from "../../state/feed-row.js";
import { allRows, callRows } from "./call-rows.js";

let place = 0;
const source = { app: "agent", host: "h", pid: 1, instance: "i" };
const event = (id: string, name: string, at: number, payload: object, more: object = {}): PlacedEvent =>
  ({
    v: 2,
    id,
    seq: 0,
    at: new Date(at).toISOString(),
    event: name,
    source,
    session: { id: "s" },
    payload,
    hops: [],
    place: ++place,
    ...more,
  }) as PlacedEvent;
const decision = (verdict: string) => ({ decision: { verdict, by: "rule", reason: "because", modified: false, endLoop: false } });
const bash = (callId: string | undefined, more: object = {}) => ({
  tool: { name: "bash", ...(callId && { callId }), input: { command: "ls" }, ...more },
});

/** As they arrive: what a hub writes itself comes after what its processes report. */
const arrived = [
  event("p1", "prompt:submit", 10, { prompt: "Look around" }),
  event("r1", "tool:result", 22, bash("1")),
  event("a1", "tool:after", 23, { ...bash("1", { durationMs: 1 }), status: "ok" }),
  event("b1", "tool:before", 20, bash("1"), decision("allow")),
  event("q1", "approval:requested", 21, { approval: { id: "x", eventId: "b1", payload: bash("1") } }),
  event("y1", "permission:replied", 21, { approval: { id: "x", eventId: "b1", verdict: "allow" } }),
  event("b2", "tool:before", 30, bash("2"), decision("deny")),
  event("a2", "tool:after", 31, { ...bash("2"), status: "blocked" }),
  event("l1", "llm:before", 32, { model: "m" }),
  event("b3", "tool:before", 40, bash(undefined), decision("pass")),
].map(toRow);
const said = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

describe("one row for each call", () => {
  it("has calls, prompts and answers in the order of time, each call with what came of it", () => {
    const rows = callRows(arrived, "tail", undefined);
    expect(said(rows)).toEqual(["p1", "b1", "b2", "b3"]);
    expect(rows.map(({ parts }) => parts)).toEqual([0, 5, 2, 1]);
    expect(rows.map(({ detail, verdict }) => [detail, verdict])).toEqual([
      ["Look around", ""],
      ["bash ls → ok in 1.0 ms", "allow"],
      ["bash ls", "deny"],
      ["bash ls", "pass"],
    ]);
    expect(said(callRows(arrived, "newest", undefined))).toEqual(["b3", "b2", "b1", "p1"]);
  });

  it("opens the call of the event that is chosen, whichever of its events it is", () => {
    for (const chosen of ["b1", "a1", "q1"])
      expect(said(callRows(arrived, "newest", chosen))).toEqual(["b3", "b2", "b1", "q1", "y1", "r1", "a1", "p1"]);
    expect(callRows(arrived, "tail", "b1").filter(({ isPart }) => isPart)).toHaveLength(4);
  });

  it("says of a call that waits for a person that it is asked about", () => {
    const waiting = toRow(event("w1", "approval:requested", 60, { approval: { id: "y", eventId: "b9", payload: bash("9") } }));
    expect(callRows([...arrived, waiting], "newest", undefined)[0]).toMatchObject({ id: "w1", verdict: "ask", parts: 1 });
  });

  it("leaves nothing out where every event is wanted", () => {
    expect(said(allRows(arrived, "tail"))).toEqual(["p1", "b1", "q1", "y1", "r1", "a1", "b2", "a2", "l1", "b3"]);
  });

  it("keeps calls of two sessions with one id apart", () => {
    const other = toRow(event("o1", "tool:before", 50, bash("1"), { session: { id: "other" } }));
    expect(said(callRows([...arrived, other], "tail", undefined))).toContain("o1");
  });

  it("hides no denial behind a call that has the same id, or behind another gate of the call", () => {
    const again = [event("b4", "tool:before", 50, bash("1"), decision("deny")), event("a4", "tool:after", 51, bash("1"))].map(toRow);
    const later = toRow(event("d1", "permission:request", 24, bash("1"), decision("deny")));
    expect(callRows([...arrived, ...again], "newest", undefined)[0]).toMatchObject({ id: "b4", verdict: "deny", parts: 2 });
    expect(callRows([...arrived, later], "tail", undefined)[1]).toMatchObject({ id: "d1", verdict: "deny", parts: 6 });
  });
});
