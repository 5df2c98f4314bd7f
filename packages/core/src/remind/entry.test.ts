import { describe, expect, it } from "vitest";
import { createReminderBook, type ReminderChange, type ReminderSpec } from "./index.js";

describe("an invalid reminder", () => {
  const add = (spec: unknown, event = "turn:end") => createReminderBook().add(spec as ReminderSpec, { by: "no-rm", event });

  it.each([
    [{ body: "b", ttlTurn: 1 }, /no key "ttlTurn"\. Did you mean "ttlTurns"\?/],
    [{ body: "b", ttlTurns: 0 }, /"ttlTurns" must be a whole number/],
    [{ body: "b", ttlTurns: 1.5 }, /"ttlTurns"/],
    [{ body: "b", propagate: "some" }, /"propagate" must be one of all, session, none/],
    [{ body: "b", roleHint: "admin" }, /"roleHint"/],
    [{ body: "b", tags: "x" }, /"tags"/],
    [{ body: " " }, /"body"/],
    [Object.create({ body: "inherited" }), /needs a "body"/],
    [JSON.parse('{"body":"b","__proto__":{}}'), /"__proto__"/],
    [{}, /needs a "body"/],
    [null, /not null/],
    ["text", /not a string/],
  ])("%j is not a reminder", (spec, message) => {
    expect(() => add(spec)).toThrow(expect.objectContaining({ code: "HL_BAD_REMINDER", message: expect.stringMatching(message) }));
  });

  it("checks what it keeps, not what a getter said the first time", () => {
    let reads = 0;
    const spec = {
      get body() {
        return reads++ === 0 ? "fine" : 5;
      },
    };
    expect(add(spec).spec.body).toBe("fine");
  });

  it.each(["worker:spawned", "worker:anything", "SubagentStart", "worker_completed"])("%s takes no reminder", (event) => {
    expect(() => add({ body: "b" }, event)).toThrow(expect.objectContaining({ code: "HL_REMINDER_REJECTED", event, handler: "no-rm" }));
  });

  it("leaves the book as it was", () => {
    const changes: ReminderChange[] = [];
    const book = createReminderBook({ maxSessions: 1 });
    book.add({ body: "b" }, { session: "s1" });
    book.onChange((change) => changes.push(change));
    expect(() => book.add({ body: "" }, { session: "s2" })).toThrow();
    expect(book.list().map(({ session }) => session)).toEqual(["s1"]);
    expect(changes).toEqual([]);
  });
});
