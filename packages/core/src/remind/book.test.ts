import { describe, expect, expectTypeOf, it } from "vitest";
import type { ReminderStore } from "../bus/types.js";
import { createReminderBook, type ReminderBook } from "./index.js";

const at = (session: string) => ({ session: { id: session }, by: "tests", event: "turn:end" });
const bodies = (book: ReminderBook, session: string) => book.list(session).map(({ spec }) => spec.body);

function recorded(options = {}) {
  const book = createReminderBook(options);
  const changes: string[] = [];
  book.onChange((change) =>
    changes.push([change.change, change.reminder.spec.body, ...("reason" in change ? [change.reason] : [])].join(" ")),
  );
  return { book, changes };
}

describe("add", () => {
  it("returns the frozen record", () => {
    const record = createReminderBook().add({ body: "b", ttlTurns: 2, tags: ["t"] }, at("s1"));
    expect(record).toEqual({
      id: "r1",
      spec: { body: "b", ttlTurns: 2, tags: ["t"] },
      session: "s1",
      by: "tests",
      event: "turn:end",
      turnsLeft: 2,
      count: 1,
    });
    expect([record, record.spec, record.spec.tags].every(Object.isFrozen)).toBe(true);
  });

  it("is a store for the bus", () => {
    expectTypeOf<ReminderBook>().toExtend<ReminderStore>();
  });

  it("keeps what was said, whatever happens to the object afterwards", () => {
    const tags = ["a"];
    const spec = { body: "first", tags };
    const record = createReminderBook().add(spec, at("s1"));
    spec.body = "second";
    tags.push("b");
    expect(record.spec).toEqual({ body: "first", tags: ["a"] });
  });

  it("takes a session as text, as an object or not at all", () => {
    const book = createReminderBook();
    const sessions = ["s1", { id: "s1" }, undefined].map((session) => book.add({ body: "b" }, { session }).session);
    expect(sessions).toEqual(["s1", "s1", ""]);
    expect(book.add({ body: "b" })).toMatchObject({ session: "", by: "host", event: undefined });
    expect(book.list("")).toHaveLength(2);
    expect(book.list()).toHaveLength(4);
  });

  it.each(["__proto__", "constructor", "toString"])("treats %s as any other name", (name) => {
    const book = createReminderBook();
    expect(book.list(name)).toEqual([]);
    const { id } = book.add({ body: "b", dedupeKey: name }, at(name));
    book.inherit(name, "child");
    expect(book.add({ body: "c", dedupeKey: name }, at(name))).toMatchObject({ id, count: 2 });
    expect(book.revoke(name)).toBe(false);
    expect(book.list()).toHaveLength(1);
  });
});

describe("dedupeKey", () => {
  it("replaces, counts, restarts the turns, and keeps id and position", () => {
    const { book, changes } = recorded();
    const first = book.add({ body: "old", dedupeKey: "k", ttlTurns: 2 }, at("s1"));
    book.add({ body: "other" }, at("s1"));
    book.turnEnded("s1");
    const second = book.add({ body: "new", dedupeKey: "k", ttlTurns: 2 }, at("s1"));
    expect(second).toMatchObject({ id: first.id, count: 2, turnsLeft: 2 });
    expect(bodies(book, "s1")).toEqual(["new", "other"]);
    expect(changes).toEqual(["injected old", "injected other", "deduped new"]);
  });

  it("is the session's own", () => {
    const book = createReminderBook();
    book.add({ body: "1", dedupeKey: "k" }, at("s1"));
    expect(book.add({ body: "2", dedupeKey: "k" }, at("s2")).count).toBe(1);
  });
});

describe("the end of things", () => {
  it("expires after its turns", () => {
    const { book, changes } = recorded();
    book.add({ body: "short", ttlTurns: 1 }, at("s1"));
    book.add({ body: "long", ttlTurns: 2 }, at("s1"));
    book.add({ body: "no limit" }, at("s1"));
    book.turnEnded({ id: "s1" });
    expect(book.list("s1").map(({ turnsLeft }) => turnsLeft)).toEqual([1, undefined]);
    book.turnEnded("s2");
    book.turnEnded("s1");
    expect(bodies(book, "s1")).toEqual(["no limit"]);
    expect(changes.slice(3)).toEqual(["expired short", "expired long"]);
  });

  it("keeps only preserveOnCompact in a compaction", () => {
    const { book, changes } = recorded();
    book.add({ body: "gone" }, at("s1"));
    book.add({ body: "kept", preserveOnCompact: true }, at("s1"));
    book.compacted("s1");
    expect(bodies(book, "s1")).toEqual(["kept"]);
    expect(changes.at(-1)).toBe("dropped gone compacted");
  });

  it("revokes by id, once", () => {
    const { book, changes } = recorded();
    const { id } = book.add({ body: "b" }, at("s1"));
    expect([book.revoke(id), book.revoke(id), book.revoke("r99")]).toEqual([true, false, false]);
    expect(changes).toEqual(["injected b", "revoked b"]);
    expect(book.stats()).toMatchObject({ sessions: 0, reminders: 0 });
  });

  it("forgets a session", () => {
    const { book, changes } = recorded();
    book.add({ body: "b" }, at("s1"));
    book.add({ body: "c" }, at("s2"));
    book.forget({ id: "s1" });
    book.forget("unknown");
    expect(book.list().map(({ session }) => session)).toEqual(["s2"]);
    expect(changes.at(-1)).toBe("dropped b forgotten");
    expect(book.stats().dropped).toEqual({ limit: 0, session_limit: 0, compacted: 0, forgotten: 1 });
  });
});
