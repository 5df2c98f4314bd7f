import { describe, expect, it } from "vitest";
import { HookError } from "./errors.js";
import { checkReminder } from "./reminder.js";

const whole = {
  body: "Run the tests before you finish.",
  tags: ["tests"],
  dedupeKey: "run-tests",
  ttlTurns: 3,
  preserveOnCompact: true,
  propagate: "session",
  roleHint: "developer",
  authority: "ci",
} as const;

describe("checkReminder", () => {
  it("returns the reminder itself", () => {
    expect(checkReminder(whole)).toBe(whole);
    const least = { body: "x" };
    expect(checkReminder(least)).toBe(least);
  });

  const accepted: [string, unknown[]][] = [
    ["tags", [[], ["a", "b"], undefined]],
    ["dedupeKey", ["k", undefined]],
    ["ttlTurns", [1, 1_000_000, undefined]],
    ["preserveOnCompact", [true, false, undefined]],
    ["propagate", ["all", "session", "none", undefined]],
    ["roleHint", ["system", "developer", "user_block", "ephemeral_cache", undefined]],
    ["authority", ["a person", undefined]],
    ["auditOnly", [true, false, undefined]],
  ];
  for (const [key, values] of accepted)
    it(`takes every ${key} there is`, () => {
      for (const value of values) expect(checkReminder({ body: "x", [key]: value })).toEqual({ body: "x", [key]: value });
    });

  const refused: [string, unknown[]][] = [
    ["body", ["", "  \n", 3, ["x"], {}]],
    ["tags", ["a", [""], [" "], ["a", 3], [null], {}]],
    ["dedupeKey", ["", " \n", 3]],
    ["ttlTurns", [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "3", 3n]],
    ["preserveOnCompact", ["true", 1]],
    ["propagate", ["children", "", "ALL", true]],
    ["roleHint", ["assistant", "", "System"]],
    ["authority", ["", 3]],
    ["auditOnly", ["true", 1]],
  ];
  for (const [key, values] of refused)
    it(`names ${key} when its value is wrong`, () => {
      for (const value of values) {
        const error = errorOf({ body: "x", [key]: value });
        expect(error.code).toBe("HL_BAD_REMINDER");
        expect(error.message).toContain(`"${key}" must be`);
      }
    });

  it("takes null as absent, but for the body", () => {
    const absent = {
      tags: null,
      dedupeKey: null,
      ttlTurns: null,
      preserveOnCompact: null,
      propagate: null,
      roleHint: null,
      authority: null,
    };
    expect(checkReminder({ body: "x", ...absent, auditOnly: null })).toEqual({ body: "x" });
    expect(errorOf({ body: null }).message).toContain('needs a "body"');
  });

  it("trims tags and keeps each once, and trims the key", () => {
    expect(checkReminder({ body: "x", dedupeKey: " k\n" })).toEqual({ body: "x", dedupeKey: "k" });
    expect(checkReminder({ body: "x", tags: [" a", "b", "a "] })).toEqual({ body: "x", tags: ["a", "b"] });
  });

  it("says which words there are", () => {
    expect(errorOf({ body: "x", propagate: "children" }).message).toContain("all, session, none");
    expect(errorOf({ body: "x", roleHint: "user" }).message).toContain("system, developer, user_block, ephemeral_cache");
  });

  it("refuses unknown keys, with a guess", () => {
    expect(errorOf({ body: "x", ttl_turns: 3 }).message).toBe('A reminder has no key "ttl_turns". Did you mean "ttlTurns"?');
    expect(errorOf({ body: "x", ttl_turns: 3, colour: "red" }).message).toBe(
      'A reminder has no key "ttl_turns". Did you mean "ttlTurns"? A reminder has no key "colour".',
    );
    expect(errorOf({ body: "x", colour: "red" }).message).toBe('A reminder has no key "colour".');
    expect(errorOf({ body: "x", colour: undefined }).code).toBe("HL_BAD_REMINDER");
  });

  it("refuses keys that every object seems to have", () => {
    for (const key of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      const parsed: unknown = JSON.parse(`{"body":"x","${key}":"y"}`);
      expect(errorOf(parsed).message).toContain(`"${key}"`);
    }
  });

  it("needs a body of its own", () => {
    expect(errorOf({}).message).toContain('"body"');
    expect(errorOf({ body: undefined }).message).toContain('"body"');
    expect(errorOf({ tags: ["a"] }).message).toContain('"body"');
    expect(errorOf(Object.create({ body: "inherited" })).message).toContain('"body"');
  });

  const strangers: [unknown, string][] = [
    [undefined, "undefined"],
    [null, "null"],
    ["Run the tests.", "a string"],
    [3, "a number"],
    [["x"], "an array"],
    [() => whole, "a function"],
  ];
  for (const [value, shown] of strangers)
    it(`rejects ${shown}`, () => {
      const error = errorOf(value);
      expect(error.code).toBe("HL_BAD_REMINDER");
      expect(error.message).toContain(shown);
    });
});

function errorOf(reminder: unknown): HookError {
  try {
    checkReminder(reminder);
  } catch (error) {
    if (error instanceof HookError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
