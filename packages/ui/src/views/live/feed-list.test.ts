import { describe, expect, it } from "vitest";
import { assignSlots } from "../../parts/use-slots.js";
import { addRows } from "../../state/add-rows.js";
import type { FeedRow } from "../../state/feed-row.js";
import { settledOffset } from "./use-steadiness.js";

function row(place: number, more: Partial<FeedRow> = {}): FeedRow {
  const text = { event: "tool:after", host: "", app: "a", session: "s", verdict: "", detail: "d", why: "" };
  return {
    place,
    id: `e${place}`,
    at: 0,
    isModified: false,
    isBulk: false,
    isImported: false,
    isDamaged: false,
    count: 1,
    call: "",
    outcome: "",
    ...text,
    ...more,
  };
}

function rows(from: number, to: number): FeedRow[] {
  return Array.from({ length: to - from }, (_, index) => row(from + index));
}

describe("addRows", () => {
  it("keeps the newest, and says where older ones begin", () => {
    expect(addRows(rows(0, 3), rows(3, 5), { most: 10, isTorn: false })).toEqual({ rows: rows(0, 5) });
    expect(addRows(rows(0, 3), rows(3, 5), { most: 3, isTorn: false })).toEqual({ rows: rows(2, 5), cursor: 2 });
  });

  it("gives up what is no longer joined to what came", () => {
    expect(addRows(rows(0, 3), rows(7, 9), { most: 10, isTorn: true })).toEqual({ rows: rows(7, 9), cursor: 7 });
  });

  it("goes on with a flow, as the row it is", () => {
    const word = (place: number) => row(place, { isBulk: true, event: "message:delta" });
    const { rows: added } = addRows([row(0), word(1)], [word(2), word(3), row(4)], { most: 10, isTorn: false });
    expect(added).toMatchObject([{ place: 0 }, { place: 1, id: "e1", count: 3, detail: "ddd" }, { place: 4 }]);
  });
});

describe("addRows of a session", () => {
  it("puts what comes late where it happened, and leaves to the older page what belongs there", () => {
    const at = (place: number, time: number) => row(place, { at: time });
    const kept = [at(1, 10), at(2, 30)];
    const came = [at(3, 20), at(4, 5), at(5, 30)];
    const places = (hasOlder: boolean) =>
      addRows(kept, came, { most: 10, isTorn: false, isByTime: true, hasOlder }).rows.map(({ place }) => place);
    expect(places(false)).toEqual([4, 1, 3, 2, 5]);
    expect(places(true)).toEqual([1, 3, 2, 5]);
  });
});

describe("settledOffset", () => {
  const stand = { offset: 100, viewport: 50 };
  const shown = (list: readonly FeedRow[], order: "newest" | "tail") => ({ rows: list, order, rowHeight: 10 });

  it("follows at the live edge", () => {
    expect(settledOffset({ offset: 0, viewport: 50 }, shown(rows(0, 20), "newest"), shown(rows(5, 25), "newest"))).toBe(0);
    expect(settledOffset({ offset: 150, viewport: 50 }, shown(rows(0, 20), "tail"), shown(rows(0, 30), "tail"))).toBe(250);
    expect(settledOffset(stand, undefined, shown(rows(0, 30), "tail"))).toBe(250);
    expect(settledOffset(stand, shown(rows(0, 30), "tail"), shown(rows(0, 30), "newest"))).toBe(0);
  });

  it("keeps elsewhere what is read where it is, whatever comes or goes above it", () => {
    const newest = (from: number, to: number) => shown(rows(from, to).toReversed(), "newest");
    expect(settledOffset({ ...stand, offset: 103 }, newest(0, 50), newest(0, 57))).toBe(173);
    expect(settledOffset(stand, shown(rows(0, 50), "tail"), shown(rows(4, 54), "tail"))).toBe(60);
    expect(settledOffset({ ...stand, offset: 0 }, shown(rows(10, 50), "tail"), shown(rows(0, 50), "tail"))).toBe(100);
    expect(settledOffset(stand, shown(rows(0, 50), "tail"), shown(rows(40, 90), "tail"))).toBe(100);
  });

  it("counts in rows when their height is another", () => {
    expect(settledOffset(stand, shown(rows(0, 50), "tail"), { ...shown(rows(0, 50), "tail"), rowHeight: 20 })).toBe(200);
  });
});

describe("assignSlots", () => {
  it("lets rows keep their elements, and gives those that are free to who comes", () => {
    let made = 0;
    const make = () => made++;
    const first = assignSlots(new Map(), ["a", "b", "c"], make);
    expect([...first]).toEqual([
      ["a", 0],
      ["b", 1],
      ["c", 2],
    ]);
    const scrolled = assignSlots(first, ["b", "c", "d", "e"], make);
    expect([...scrolled]).toEqual([
      ["b", 1],
      ["c", 2],
      ["d", 0],
      ["e", 3],
    ]);
    expect([...assignSlots(scrolled, ["x", "y"], make)]).toEqual([
      ["x", 1],
      ["y", 2],
    ]);
    expect(assignSlots(first, ["a", "a", "b"], make).size).toBe(3);
  });
});
