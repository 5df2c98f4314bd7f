import * as fc from "fast-check";
import { type ParseError, parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { mergeHooks } from "./merge-hooks.js";
import { removeHooks } from "./remove-hooks.js";

const syntax = { comments: true, trailingCommas: true, byteOrderMark: true };
const marks = ["/state/hookline/attach/claude-code.sh", "/api/agents/claude-code/"];
const entry = (event: string, timeout = 600) => ({
  matcher: "*",
  hooks: [{ type: "command", command: `sh '/state/hookline/attach/claude-code.sh' ${event}`, timeout }],
});
const wanted = { entries: { PreToolUse: [entry("PreToolUse")], Stop: [entry("Stop")] }, marks, syntax };
const newer = { ...wanted, entries: { PreToolUse: [entry("PreToolUse", 30)], SessionEnd: [entry("SessionEnd")] } };

describe("mergeHooks", () => {
  it("adds entries in the style of the file", () => {
    const text = `\t{
\t// mine
\t"hooks": {
\t\t"PreToolUse": [
\t\t\t{ "matcher": "Bash", "hooks": [] } // keep
\t\t]
\t},
\t"model": "x", // last
}`.replaceAll("\n", "\r\n");
    const { text: merged } = mergeHooks(text, { ...wanted, entries: { PreToolUse: [{ command: marks[0] }] } });
    expect(merged).toBe(text.replace("[] } // keep\r\n", `[] }, // keep\r\n\t\t\t{\r\n\t\t\t\t"command": "${marks[0]}"\r\n\t\t\t}\r\n`));
  });

  it("makes what is missing", () => {
    expect(mergeHooks("{}\n", { ...wanted, entries: { Stop: [{ command: marks[0] }] } }).text).toBe(
      `{\n  "hooks": {\n    "Stop": [\n      {\n        "command": "${marks[0]}"\n      }\n    ]\n  }\n}\n`,
    );
  });

  it("stays on one line if the file is on one line", () => {
    const { text } = mergeHooks('{"model":"x"}', { ...wanted, entries: { Stop: [{ command: marks[0] }] } });
    expect(text).toBe(`{"model":"x", "hooks": {"Stop": [{"command":"${marks[0]}"}]}}`);
  });

  it("rewrites an older version of ours in place, and removes what is no longer needed", () => {
    const mine = '{ "hooks": [{ "command": "mine" }] }';
    const old = mergeHooks(`{\n  "hooks": { "PreToolUse": [\n    ${mine}\n  ] }\n}\n`, wanted);
    const withMore = old.text.replace(/(\n {4}})(\n {2}\])/, `$1,\n    ${mine}$2`);
    const updated = mergeHooks(withMore, newer, old.containers);
    const { hooks } = parse(updated.text);
    expect(hooks).toEqual({
      PreToolUse: [JSON.parse(mine), newer.entries.PreToolUse[0], JSON.parse(mine)],
      SessionEnd: newer.entries.SessionEnd,
    });
  });

  it("removes its handler from a shared group and keeps the others", () => {
    const text = `{"hooks": {"Stop": [{"hooks": [{"command": "a"}, {"command": "sh ${marks[0]} Stop"}, {"command": "b"}]}]}}`;
    expect(removeHooks(text, wanted)).toBe('{"hooks": {"Stop": [{"hooks": [{"command": "a"}, {"command": "b"}]}]}}');
  });

  it.each([
    ["", /line 1, column 1/],
    ["[]", /array where an object/],
    ['{"hooks": []}', /"hooks" is of type array/],
    ['{"hooks": null}', /"hooks" is of type null/],
    ['{\n  "hooks": {"Stop": {}}}', /line 2, column 21: "Stop" is of type object/],
    ['{"hooks": {}, "hooks": {}}', /"hooks" occurs twice/],
    ['{"hooks": {"Stop": [], "Stop": []}}', /"Stop" occurs twice/],
    ['{"a": 1', /close brace expected/],
    ['{"a": 1} x', /line 1, column 10/],
    ["{'a': 1}", /invalid symbol/],
    [`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`, /nested too deep|^$/],
  ])("refuses %.40s", (text, message) => {
    const refused = expect.objectContaining({ code: "HL_AGENT_FILE", message: expect.stringMatching(message) });
    if (text.length < 1000) expect(() => mergeHooks(text, wanted)).toThrow(refused);
    else expect(() => tryMerge(text)).not.toThrow();
  });

  it("refuses what the agent's parser does not accept", () => {
    const plain = { ...wanted, syntax: { comments: false, trailingCommas: false, byteOrderMark: false } };
    const refused = expect.objectContaining({ code: "HL_AGENT_FILE" });
    expect(() => mergeHooks('{ "a": 1, }', plain)).toThrow(refused);
    expect(() => mergeHooks('{ "a": 1 } // c', plain)).toThrow(refused);
    expect(() => mergeHooks("{}", { ...wanted, entries: { Stop: [{ command: "other" }] } })).toThrow(
      expect.objectContaining({ code: "HL_BAD_OPTION" }),
    );
  });
});

function tryMerge(text: string): string {
  try {
    return mergeHooks(text, wanted).text;
  } catch (error) {
    if ((error as { code?: string }).code === "HL_AGENT_FILE") return "refused";
    throw error;
  }
}

describe("any file", () => {
  it("is as before when ours are removed", () => {
    fc.assert(
      fc.property(file, (text) => {
        const { text: merged, containers } = mergeHooks(text, wanted);
        expect(removeHooks(merged, wanted, containers)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it("does not change when ours are there, and can be read", () => {
    fc.assert(
      fc.property(file, (text) => {
        const { text: merged, containers } = mergeHooks(text, wanted);
        expect(mergeHooks(merged, wanted, containers)).toEqual({ text: merged, containers });
        const errors: ParseError[] = [];
        const value = parse(merged, errors, { allowTrailingComma: true });
        expect(errors).toEqual([]);
        expect(value).toEqual(expectedValue(parse(text, [], { allowTrailingComma: true })));
      }),
      { numRuns: 300 },
    );
  });

  it("keeps what its user changed in between", () => {
    fc.assert(
      fc.property(file, edits, (text, edit) => {
        const { text: merged, containers } = mergeHooks(text, wanted);
        expect(removeHooks(edit(merged), wanted, containers)).toBe(edit(text));
      }),
      { numRuns: 300 },
    );
  });

  it("is updated to newer entries and restored to the original", () => {
    fc.assert(
      fc.property(file, (text) => {
        const old = mergeHooks(text, wanted);
        const updated = mergeHooks(old.text, newer, old.containers);
        expect(mergeHooks(updated.text, newer, updated.containers)).toEqual(updated);
        expect(removeHooks(updated.text, wanted, updated.containers)).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});

function expectedValue(before: { hooks?: { [event: string]: unknown[] } }): unknown {
  const { PreToolUse = [], Stop = [], ...others } = before.hooks ?? {};
  const ours = { PreToolUse: [...PreToolUse, ...wanted.entries.PreToolUse], Stop: [...Stop, ...wanted.entries.Stop] };
  return { ...before, hooks: { ...others, ...ours } };
}

/** Between any two tokens: nothing, space, lines, comments. `EDIT` is where a user changes something. */
const space = fc.constantFrom("", "", " ", "  ", "\n", "\n  ", "\n\t", " // EDIT, ] }\n", ' /* EDIT " */ ', "\r\n    ", "\n\n");
const scalar = fc.constantFrom("1", '"EDIT"', "true", "null", '"a, ] } // \\" b"', "-0.5e3", "[]", "{ }", '[1, {"x": "EDIT"} ]');
const foreign = fc.constantFrom(
  '{"matcher": "Bash", "hooks": [{"type": "command", "command": "EDIT"}]}',
  '{ "hooks": [ ] }',
  '{\n      "matcher": "EDIT", // mine\n      "hooks": [\n        { "type": "http", "url": "x" },\n      ]\n    }',
);

function sequence(
  open: string,
  elements: readonly string[],
  [close, spaces, isTrailing]: readonly [string, readonly string[], boolean],
): string {
  const gap = (at: number) => spaces[at % spaces.length] ?? "";
  const parts = elements.map((element, at) => {
    const isLast = at === elements.length - 1;
    return `${gap(at * 2)}${element}${isLast && !isTrailing ? "" : `${gap(at * 2 + 1)},`}`;
  });
  return `${open}${parts.join("")}${gap(elements.length * 2 + 1)}${close}`;
}

const spaces = fc.array(space, { minLength: 1, maxLength: 6 });
const list = fc
  .tuple(fc.array(foreign, { maxLength: 3 }), spaces, fc.boolean())
  .map(([groups, gaps, isTrailing]) => sequence("[", groups, ["]", gaps, isTrailing]));
const member = (name: string, value: fc.Arbitrary<string>) =>
  fc.tuple(space, space, value).map(([a, b, text]) => `"${name}"${a}:${b}${text}`);
const object = (members: readonly fc.Arbitrary<string>[]) =>
  fc.tuple(fc.tuple(...members.map((one) => fc.option(one, { nil: undefined }))), spaces, fc.boolean()).map(([found, gaps, isTrailing]) =>
    sequence(
      "{",
      found.filter((one) => one !== undefined),
      ["}", gaps, isTrailing],
    ),
  );
const hooks = object([member("PreToolUse", list), member("PostToolUse", list), member("Stop", list)]);
const file = fc
  .tuple(space, object([member("model", scalar), member("hooks", hooks), member("env", scalar)]), space)
  .map((parts) => parts.join(""));
const edits = fc.constantFrom("", "something else", "x".repeat(200), "é").map((word) => (text: string) => text.replaceAll("EDIT", word));
