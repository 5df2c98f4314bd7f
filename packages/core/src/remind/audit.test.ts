import { describe, expect, it } from "vitest";
import { createReminderBook, type ReminderChange } from "./index.js";

const at = (session: string) => ({ session, by: "tests", event: "turn:end" });

describe("attach", () => {
  it("emits every change as an event with its session", () => {
    const events: unknown[] = [];
    const book = createReminderBook();
    book.attach((event, payload) => events.push([event, payload]));
    const reminder = book.add({ body: "b" }, at("s1"));
    const lone = book.add({ body: "lone" });
    book.forget("s1");
    expect(events).toEqual([
      ["reminder:injected", { session: { id: "s1" }, reminder }],
      ["reminder:injected", { reminder: lone }],
      ["reminder:dropped", { session: { id: "s1" }, reminder, reason: "forgotten" }],
    ]);
  });
});

describe("fired", () => {
  it("is told once per turn, however often it is rendered", () => {
    const book = createReminderBook();
    const fired: string[] = [];
    book.onChange(({ change, reminder }) => change === "fired" && fired.push(reminder.spec.body));
    book.add({ body: "a" }, at("s1"));
    book.render("s1");
    book.add({ body: "b" }, at("s1"));
    book.render("s1");
    expect(fired).toEqual(["a", "b"]);
    book.turnEnded("s1");
    book.render("s1");
    expect(fired).toEqual(["a", "b", "a", "b"]);
  });

  it("is told only of those shown", () => {
    const book = createReminderBook();
    const fired: string[] = [];
    book.onChange(({ change, reminder }) => change === "fired" && fired.push(reminder.spec.body));
    book.add({ body: "sys", roleHint: "system" }, at("s1"));
    book.add({ body: "plain" }, at("s1"));
    book.render("s1", { roleHint: "system" });
    expect(fired).toEqual(["sys"]);
  });
});

describe("listeners", () => {
  it("stop when told to, exactly that one", () => {
    const book = createReminderBook();
    const heard: string[] = [];
    const listener = () => heard.push("x");
    const off = book.onChange(listener);
    book.onChange(listener);
    off();
    off();
    book.add({ body: "b" });
    expect(heard).toEqual(["x"]);
  });

  it("may fail, at once or later; each is reported once and the others go on", async () => {
    const errors: Error[] = [];
    const book = createReminderBook({ onError: (error) => errors.push(error) });
    const heard: string[] = [];
    const cause = new Error("mine");
    book.onChange(() => {
      throw cause;
    });
    book.onChange(async () => {
      throw cause;
    });
    book.onChange(({ change }) => heard.push(change));
    expect(book.add({ body: "b", ttlTurns: 1 }, at("s1")).id).toBe("r1");
    book.turnEnded("s1");
    await Promise.resolve();
    expect(heard).toEqual(["injected", "expired"]);
    expect(errors).toHaveLength(2);
    expect(errors[0]).toMatchObject({ code: "HL_HANDLER_FAILED", event: "reminder:injected", cause });
  });

  it("may fail although onError fails too", () => {
    const fail = () => {
      throw new Error("mine");
    };
    const book = createReminderBook({ onError: fail });
    book.onChange(fail);
    expect(() => book.add({ body: "b" })).not.toThrow();
  });

  it("hear changes in order even when one of them changes the book", () => {
    const book = createReminderBook();
    const heard: string[] = [];
    book.onChange(({ change, reminder }) => change === "injected" && book.revoke(reminder.id));
    book.onChange(({ change }) => heard.push(change));
    book.add({ body: "b" });
    expect(heard).toEqual(["injected", "revoked"]);
    expect(book.list()).toEqual([]);
  });

  it("hear nothing of what they were registered in", () => {
    const book = createReminderBook();
    const heard: string[] = [];
    const off = book.onChange(() => {
      off();
      book.onChange(({ change }) => heard.push(change));
    });
    const { id } = book.add({ body: "b" });
    expect(heard).toEqual([]);
    book.revoke(id);
    expect(heard).toEqual(["revoked"]);
  });

  it("cannot keep the book busy forever", () => {
    const errors: Error[] = [];
    const book = createReminderBook({ onError: (error) => errors.push(error) });
    const answer = ({ change }: ReminderChange) => change === "injected" && book.add({ body: "again" });
    book.onChange(answer);
    book.onChange(answer);
    book.add({ body: "first" });
    expect(errors).toMatchObject([{ code: "HL_DEPTH" }]);
    expect(book.stats().untold).toBeGreaterThan(0);
    const heard: string[] = [];
    book.onChange(({ change }) => heard.push(change));
    book.forget();
    expect(heard.length).toBeGreaterThan(0);
  });

  it("are functions", () => {
    expect(() => createReminderBook().onChange("x" as never)).toThrow(expect.objectContaining({ code: "HL_BAD_HANDLER" }));
  });
});
