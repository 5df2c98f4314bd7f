import { describe, expect, it } from "vitest";
import { createReminderBook, type ReminderBook } from "./index.js";

const at = (session: string) => ({ session, by: "tests", event: "turn:end" });
const bodies = (book: ReminderBook, session: string) => book.list(session).map(({ spec }) => spec.body);

describe("inherit", () => {
  const family = (): ReminderBook => {
    const book = createReminderBook();
    for (const propagate of ["all", "session", "none", undefined] as const)
      book.add({ body: propagate ?? "unsaid", ttlTurns: 5, ...(propagate && { propagate }) }, at("parent"));
    return book;
  };

  it("gives `all` to every descendant, `session` to children, and no others", () => {
    const book = family();
    book.turnEnded("parent");
    book.inherit("parent", { id: "child" });
    book.inherit("child", "grandchild");
    expect(bodies(book, "child")).toEqual(["all", "session"]);
    expect(bodies(book, "grandchild")).toEqual(["all"]);
    const [parents] = book.list("parent");
    expect(book.list("child")[0]).toMatchObject({ inheritedFrom: parents?.id, session: "child", turnsLeft: 4, count: 1 });
  });

  it("changes nothing the second time, nor from a session to itself", () => {
    const book = family();
    book.inherit("parent", "child");
    const before = book.list();
    book.inherit("parent", "child");
    book.inherit("parent", "parent");
    book.inherit("nobody", "child");
    expect(book.list()).toEqual(expect.arrayContaining([...before]));
    expect(book.list()).toHaveLength(before.length);
  });

  it("lets the child's own dedupeKey win", () => {
    const book = createReminderBook();
    book.add({ body: "parent's", dedupeKey: "k", propagate: "all" }, at("parent"));
    book.add({ body: "child's", dedupeKey: "k" }, at("child"));
    book.inherit("parent", "child");
    expect(bodies(book, "child")).toEqual(["child's"]);
  });

  it("makes a copy the child's own once the child says it again", () => {
    const book = createReminderBook();
    book.add({ body: "parent's", dedupeKey: "k", propagate: "all" }, at("parent"));
    book.inherit("parent", "child");
    expect(book.add({ body: "child's", dedupeKey: "k" }, at("child"))).not.toHaveProperty("inheritedFrom");
  });

  it("leaves the copy when the parent's is revoked", () => {
    const book = createReminderBook();
    const changes: string[] = [];
    book.onChange(({ change }) => changes.push(change));
    const { id } = book.add({ body: "b", propagate: "all" }, at("parent"));
    book.inherit("parent", "child");
    book.revoke(id);
    expect(bodies(book, "child")).toEqual(["b"]);
    expect(changes).toEqual(["injected", "inherited", "revoked"]);
  });
});
