import { describe, expect, it } from "vitest";
import { createReminderBook, type ReminderBook, type ReminderBookOptions, type ReminderChange, type RenderOptions } from "./index.js";

const at = (session: string) => ({ session, by: "tests", event: "turn:end" });
const bodies = (book: ReminderBook, session?: string) => book.list(session).map(({ spec }) => spec.body);

function dropsOf(book: ReminderBook): string[] {
  const drops: string[] = [];
  book.onChange((change: ReminderChange) => change.change === "dropped" && drops.push(`${change.reminder.spec.body} ${change.reason}`));
  return drops;
}

describe("limits", () => {
  it("drops a session's oldest", () => {
    const book = createReminderBook({ maxPerSession: 2 });
    const drops = dropsOf(book);
    for (const body of ["1", "2", "3"]) book.add({ body }, at("s1"));
    book.add({ body: "elsewhere" }, at("s2"));
    expect(bodies(book, "s1")).toEqual(["2", "3"]);
    expect(drops).toEqual(["1 limit"]);
    expect(book.stats().dropped.limit).toBe(1);
  });

  it("drops nothing for a duplicate", () => {
    const book = createReminderBook({ maxPerSession: 1, maxSessions: 1 });
    const drops = dropsOf(book);
    for (const body of ["1", "2"]) book.add({ body, dedupeKey: "k" }, at("s1"));
    expect(bodies(book)).toEqual(["2"]);
    expect(drops).toEqual([]);
  });

  it("holds for what a child inherits", () => {
    const book = createReminderBook({ maxPerSession: 2 });
    for (const body of ["p1", "p2"]) book.add({ body, propagate: "all" }, at("parent"));
    book.add({ body: "own" }, at("child"));
    book.inherit("parent", "child");
    expect(bodies(book, "child")).toEqual(["p1", "p2"]);
  });

  it("is 100 a session and 1000 sessions unless told otherwise", () => {
    const book = createReminderBook();
    for (let i = 0; i < 150; i++) book.add({ body: `${i}` }, at("s"));
    for (let i = 0; i < 1000; i++) book.add({ body: "b" }, at(`s${i}`));
    expect(book.stats()).toMatchObject({ sessions: 1000, reminders: 1000, dropped: { limit: 50, session_limit: 100 } });
  });

  it.each<[string, (book: ReminderBook) => void]>([
    ["add", (book) => book.add({ body: "again" }, at("s1"))],
    ["render", (book) => book.render("s1")],
    ["turnEnded", (book) => book.turnEnded("s1")],
    ["compacted", (book) => book.compacted("s1")],
    ["inherit", (book) => book.inherit("s1", "s3")],
  ])("%s counts as a use of the session, list does not", (_, use) => {
    const book = createReminderBook({ maxSessions: 2 });
    const drops = dropsOf(book);
    for (const session of ["s1", "s2"]) book.add({ body: session, preserveOnCompact: true, propagate: "all" }, at(session));
    use(book);
    book.list("s2");
    book.add({ body: "b" }, at("s3"));
    expect(drops).toEqual(["s2 session_limit"]);
  });

  it("can make the parent go for the child", () => {
    const book = createReminderBook({ maxSessions: 1 });
    book.add({ body: "b", propagate: "all" }, at("parent"));
    book.inherit("parent", "child");
    expect(book.list().map(({ session }) => session)).toEqual(["child"]);
  });
});

describe("options", () => {
  it.each([
    [{ maxPerSesion: 1 }, "HL_UNKNOWN_OPTION", /Did you mean "maxPerSession"\?/],
    [{ maxPerSession: 0 }, "HL_BAD_OPTION", /"maxPerSession"/],
    [{ maxSessions: "9" }, "HL_BAD_OPTION", /"maxSessions"/],
    [{ onError: true }, "HL_BAD_OPTION", /"onError"/],
    [null, "HL_BAD_OPTION", /options must be an object/],
  ])("%j is refused", (options, code, message) => {
    expect(() => createReminderBook(options as ReminderBookOptions)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });

  it("refuses a role that would render nothing", () => {
    const render = (options: unknown) => () => createReminderBook().render("s1", options as RenderOptions);
    expect(render({ roleHint: "toString" })).toThrow(expect.objectContaining({ code: "HL_BAD_OPTION" }));
    expect(render({ role: "system" })).toThrow(expect.objectContaining({ code: "HL_UNKNOWN_OPTION" }));
  });
});
