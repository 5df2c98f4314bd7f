import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createReminderBook, type ReminderBook, type ReminderRecord, type ReminderSpec } from "./index.js";

/** The book said again in the plainest way: one flat list. */
type Row = { id: string; session: string; spec: ReminderSpec; left: number | undefined; count: number; from: string | undefined };

type Step =
  | { do: "add"; session: string; spec: ReminderSpec }
  | { do: "turn" | "compact" | "forget" | "render"; session: string }
  | { do: "inherit"; session: string; child: string }
  | { do: "revoke"; nth: number };

const session = fc.constantFrom("", "a", "b", "__proto__");
const spec: fc.Arbitrary<ReminderSpec> = fc.record(
  {
    body: fc.constantFrom("x", "y", "<z>"),
    dedupeKey: fc.constantFrom("k", "constructor"),
    ttlTurns: fc.integer({ min: 1, max: 3 }),
    preserveOnCompact: fc.boolean(),
    propagate: fc.constantFrom("all", "session", "none"),
  },
  { requiredKeys: ["body"] },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("add"), session, spec }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("turn", "compact", "render"), session }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("inherit"), session, child: session }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("revoke"), nth: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("forget"), session }) },
) as fc.Arbitrary<Step>;
const steps = fc.array(step, { maxLength: 60 });
const MAX = 3;

describe("the book", () => {
  it("does what a flat list would", () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const book = createReminderBook({ maxPerSession: MAX });
        let rows: Row[] = [];
        let lastId = 0;
        for (const next of sequence) {
          rows = inModel(rows, next, () => `r${++lastId}`);
          inBook(book, next);
          for (const key of ["", "a", "b", "__proto__"])
            expect(book.list(key).map(rowOf)).toEqual(rows.filter((row) => row.session === key));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("can be rebuilt from what it told", () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const book = createReminderBook({ maxPerSession: MAX, maxSessions: 2 });
        const told = new Map<string, ReminderRecord>();
        book.onChange(({ change, reminder }) => {
          expect(told.has(reminder.id)).toBe(change !== "injected" && change !== "inherited");
          if (change === "expired" || change === "dropped" || change === "revoked") told.delete(reminder.id);
          else told.set(reminder.id, reminder);
        });
        for (const next of sequence) {
          inBook(book, next);
          const ageless = (record: ReminderRecord) => ({ ...record, turnsLeft: 0 });
          const byId = (a: ReminderRecord, b: ReminderRecord) => a.id.localeCompare(b.id);
          expect(book.list().map(ageless).sort(byId)).toEqual([...told.values()].map(ageless).sort(byId));
          expect(book.stats().sessions).toBe(new Set([...told.values()].map((record) => record.session)).size);
        }
      }),
      { numRuns: 500 },
    );
  });
});

function inBook(book: ReminderBook, next: Step): void {
  switch (next.do) {
    case "add":
      book.add(next.spec, { session: next.session, by: "model", event: "turn:end" });
      break;
    case "turn":
      book.turnEnded(next.session);
      break;
    case "compact":
      book.compacted(next.session);
      break;
    case "forget":
      book.forget(next.session);
      break;
    case "render":
      expect(book.render(next.session)).toBe(book.render({ id: next.session }));
      break;
    case "inherit":
      book.inherit(next.session, next.child);
      break;
    case "revoke": {
      const isThere = book.list().some(({ id }) => id === `r${next.nth}`);
      expect(book.revoke(`r${next.nth}`)).toBe(isThere);
    }
  }
}

function inModel(rows: readonly Row[], next: Step, nextId: () => string): Row[] {
  switch (next.do) {
    case "add":
      return addRow(rows, next, nextId);
    case "turn":
      return rows
        .map((row) => (row.session === next.session && row.left ? { ...row, left: row.left - 1 } : row))
        .filter((row) => row.left !== 0);
    case "compact":
      return rows.filter((row) => row.session !== next.session || row.spec.preserveOnCompact);
    case "forget":
      return rows.filter((row) => row.session !== next.session);
    case "inherit":
      return inheritRows(rows, next, nextId);
    case "revoke":
      return rows.filter((row) => row.id !== `r${next.nth}`);
    case "render":
      return [...rows];
  }
}

function addRow(rows: readonly Row[], { session, spec }: Extract<Step, { do: "add" }>, nextId: () => string): Row[] {
  const fresh = { session, spec, left: spec.ttlTurns, from: undefined };
  const isTwin = (row: Row) => row.session === session && spec.dedupeKey !== undefined && row.spec.dedupeKey === spec.dedupeKey;
  if (rows.some(isTwin)) return rows.map((row) => (isTwin(row) ? { ...fresh, id: row.id, count: row.count + 1 } : row));
  return bounded([...rows, { ...fresh, id: nextId(), count: 1 }], session);
}

function inheritRows(rows: readonly Row[], { session, child }: Extract<Step, { do: "inherit" }>, nextId: () => string): Row[] {
  const childs = rows.filter((row) => row.session === child);
  const knows = (row: Row) =>
    childs.some((own) => own.from === row.id || (row.spec.dedupeKey !== undefined && own.spec.dedupeKey === row.spec.dedupeKey));
  const heirs = rows.filter(
    (row) => session !== child && row.session === session && (row.spec.propagate ?? "none") !== "none" && !knows(row),
  );
  const copies = heirs.map((row): Row => {
    const propagate = row.spec.propagate === "all" ? "all" : "none";
    return { id: nextId(), session: child, spec: { ...row.spec, propagate }, left: row.left, count: 1, from: row.id };
  });
  return bounded([...rows, ...copies], child);
}

function bounded(rows: Row[], session: string): Row[] {
  const excess = rows.filter((row) => row.session === session).slice(0, -MAX);
  return rows.filter((row) => !excess.includes(row));
}

function rowOf({ id, session, spec, turnsLeft, count, inheritedFrom }: ReminderRecord): Row {
  return { id, session, spec, left: turnsLeft, count, from: inheritedFrom };
}
