import { describe, expect, it } from "vitest";
import { HookError } from "./errors.js";
import { again, allow, ask, block, handled, inject, isOutcome, modify, remind, replace } from "./outcomes.js";

const payload = { tool: { name: "bash", input: {} } };
const reminder = { body: "Run the tests." };

describe("the constructors", () => {
  const made = [
    [block("no"), { kind: "block", reason: "no" }],
    [block(), { kind: "block", reason: undefined, endLoop: undefined }],
    [block("no", { endLoop: true }), { kind: "block", reason: "no", endLoop: true }],
    [ask("sure?"), { kind: "ask", reason: "sure?" }],
    [ask(), { kind: "ask", reason: undefined }],
    [allow("fine"), { kind: "allow", reason: "fine" }],
    [allow(), { kind: "allow", reason: undefined }],
    [modify(payload, "safer"), { kind: "modify", value: payload, reason: "safer" }],
    [inject("text"), { kind: "inject", value: "text", keep: undefined }],
    [inject("text", { keep: true }), { kind: "inject", value: "text", keep: true }],
    [remind(reminder), { kind: "remind", value: reminder, keep: undefined }],
    [remind(reminder, { keep: true }), { kind: "remind", value: reminder, keep: true }],
    [replace("value"), { kind: "replace", value: "value" }],
    [replace(undefined), { kind: "replace", value: undefined }],
    [again("not yet"), { kind: "again", reason: "not yet" }],
    [handled("done"), { kind: "handled", value: "done" }],
    [handled(), { kind: "handled", value: undefined }],
  ] as const;
  for (const [outcome, parts] of made)
    it(`make what isOutcome recognises: ${JSON.stringify(outcome)}`, () => {
      expect(outcome).toMatchObject(parts);
      expect(isOutcome(outcome)).toBe(true);
    });

  it("keep the very value they are given", () => {
    expect([modify(payload).value, replace(payload).value, handled(payload).value, remind(reminder).value]).toEqual([
      payload,
      payload,
      payload,
      reminder,
    ]);
    expect(modify(payload).value).toBe(payload);
    expect(replace(payload).value).toBe(payload);
  });

  it("reject a malformed reminder when they are made", () => {
    expect(() => remind({ body: "" })).toThrow(HookError);
    expect(() => remind({ body: "x", ttl: 3 } as never)).toThrow(expect.objectContaining({ code: "HL_BAD_REMINDER" }));
  });

  it("leave no trace of their mark in a listing or in JSON", () => {
    expect(Object.keys(block("no"))).not.toContain("hookline.outcome");
    expect(Object.getOwnPropertySymbols(block("no"))).toEqual([]);
    expect(JSON.parse(JSON.stringify(block("no")))).toEqual({ kind: "block", reason: "no" });
  });
});

describe("isOutcome", () => {
  it("recognises the outcomes of another copy of the package", () => {
    expect(isOutcome({ kind: "block", [Symbol.for("hookline.outcome")]: true })).toBe(true);
  });

  const strangers: [string, unknown][] = [
    ["nothing", undefined],
    ["null", null],
    ["true", true],
    ["text", "block"],
    ["a number", 1],
    ["a list of outcomes", [block()]],
    ["an object that looks like one", { kind: "block", reason: "no" }],
    ["what came through JSON", JSON.parse(JSON.stringify(block("no")))],
    ["what came through structuredClone", structuredClone({ ...block("no") })],
    ["a marked object that says no", { kind: "block", [Symbol.for("hookline.outcome")]: "true" }],
    ["another mark", { kind: "block", [Symbol("hookline.outcome")]: true }],
    ["an object without a prototype", Object.create(null)],
    ["a function", () => block()],
  ];
  for (const [what, value] of strangers)
    it(`does not take ${what} for one`, () => {
      expect(isOutcome(value)).toBe(false);
    });
});
