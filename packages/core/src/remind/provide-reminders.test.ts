import { describe, expect, it } from "vitest";
import { createBus } from "../bus/bus.js";
import type { HookError } from "../catalog/errors.js";
import { providerEvents } from "../catalog/events.js";
import { remind } from "../catalog/outcomes.js";
import { createReminderBook } from "./book.js";
import { provideReminders } from "./provide-reminders.js";

function setting() {
  const errors: HookError[] = [];
  const book = createReminderBook();
  const bus = createBus({ reminders: book, onError: (error) => void errors.push(error) });
  const evaluated: unknown[] = [];
  bus.on("reminder:provider_evaluated", ({ payload }) => void evaluated.push(payload));
  return { bus, book, errors, evaluated };
}
const session = { id: "s1" };

describe("a reminder provider", () => {
  it("is asked at every provider event, also at gates and of workers", async () => {
    const { bus, book, evaluated } = setting();
    provideReminders(bus, book, { name: "p", provide: ({ name }) => ({ body: name }) });
    for (const event of providerEvents) await bus.emit(event as "turn:end", { session });
    expect(book.list("s1").map(({ spec, by }) => [by, spec.body])).toEqual(providerEvents.map((event) => ["p", event]));
    expect(evaluated).toHaveLength(providerEvents.length);
    expect(evaluated[0]).toEqual({ provider: "p", event: providerEvents[0], reminders: 1, session });
  });

  it("is on record with the tool call that it was asked about", async () => {
    const { bus, book, evaluated } = setting();
    provideReminders(bus, book, { name: "p", events: ["tool:after"], provide: () => ({ body: "x" }) });
    bus.on("tool:after", () => remind({ body: "y" }));
    await bus.emit("tool:after", { session, tool: { name: "Bash", callId: "c1", input: {} }, status: "ok" });
    expect(book.list().map(({ callId }) => callId)).toEqual(["c1", "c1"]);
    expect(evaluated).toMatchObject([{ callId: "c1" }]);
  });

  it("is asked after a decision, which it cannot change", async () => {
    const { bus, book } = setting();
    provideReminders(bus, book, { name: "p", events: ["UserPromptSubmit"], provide: async () => [{ body: "a" }, { body: "b" }] });
    expect(await bus.decide("prompt:submit", { session, prompt: "x" })).toMatchObject({ verdict: "pass" });
    await expect.poll(() => book.list("s1").map(({ spec }) => spec.body)).toEqual(["a", "b"]);
  });

  it("that fails, leaves too many or leaves none is recorded, and stops nothing", async () => {
    const { bus, book, errors, evaluated } = setting();
    const events = ["turn:end"];
    provideReminders(bus, book, { name: "throws", events, provide: () => Promise.reject(new Error("boom")) });
    provideReminders(bus, book, { name: "many", events, provide: () => Array(9).fill({ body: "x" }) });
    provideReminders(bus, book, { name: "wrong", events, provide: () => ({ text: "x" }) as never });
    provideReminders(bus, book, { name: "quiet", events, provide: () => null });
    await bus.emit("turn:end", { session });
    expect(book.list()).toEqual([]);
    expect(evaluated).toHaveLength(4);
    expect(evaluated).toContainEqual(expect.objectContaining({ provider: "throws", reminders: 0, error: "boom" }));
    expect(evaluated).toContainEqual(expect.objectContaining({ provider: "many", error: expect.stringContaining("8 at most") }));
    expect(evaluated).toContainEqual(expect.objectContaining({ provider: "quiet", reminders: 0 }));
    expect(errors).toHaveLength(3);
  });

  it("is one of eight on a bus, and is removed for good", async () => {
    const { bus, book } = setting();
    const add = (name: string) => provideReminders(bus, book, { name, events: ["turn:end"], provide: () => ({ body: name }) });
    const offs = ["1", "2", "3", "4", "5", "6", "7", "8"].map(add);
    expect(() => add("9")).toThrow("at most 8");
    offs[0]?.();
    offs[0]?.();
    add("9");
    expect(() => add("10")).toThrow("at most 8");
    await bus.emit("turn:end", { session });
    expect(book.list("s1").map(({ by }) => by)).toEqual(["2", "3", "4", "5", "6", "7", "8", "9"]);
  });

  it("with an event that is not a provider event, or an option that does not exist, is refused", () => {
    const { bus, book } = setting();
    const provide = () => null;
    expect(() => provideReminders(bus, book, { name: "p", events: ["turn:edn"], provide })).toThrow('Did you mean "turn:end"?');
    expect(() => provideReminders(bus, book, { name: "p", event: ["turn:end"], provide } as never)).toThrow('"event"');
    expect(bus.count("turn:end")).toBe(0);
  });
});

describe("a reminder with auditOnly", () => {
  it("is kept, inherited and told, and never rendered", () => {
    const { book } = setting();
    const changes: string[] = [];
    book.onChange(({ change }) => changes.push(change));
    book.add({ body: "for the record", auditOnly: true, propagate: "all" }, { session });
    book.add({ body: "for the model" }, { session });
    book.inherit(session, "child");
    expect(book.render(session)).toBe('<reminders>\n<reminder role="user_block">for the model</reminder>\n</reminders>');
    expect(book.render("child")).toBe("");
    expect(book.list("child")).toHaveLength(1);
    expect(changes).toEqual(["injected", "injected", "inherited", "fired"]);
  });
});
