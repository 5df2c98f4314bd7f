import { expect, it } from "vitest";
import { mergeYaml, removeYaml, yamlLists } from "./yaml-hooks.js";

const marks = ["/state/attach/a."];
const entry = { command: "/bin/sh -c 'exec /state/attach/a.sh \"x\"'", timeout: 300 };
const entries = { before: [{ ...entry, fail_closed: true }], after: [entry] };
const wanted = { entries, marks };

it.each([
  ["an empty file", ""],
  ["settings and comments", "# mine\nmodel:\n  name: x # here\nlist: [1, 2]\n"],
  ["a list without hooks", "hooks: {}  # none yet\nmodel: x\n"],
  ["a key without a value", "model: x\nhooks:\nother: 1\n"],
  ["hooks of other events", "hooks:\n    # about\n    start:\n        - command: mine\n          timeout: 5\nmodel: x\n"],
  ["hooks of the same events", "hooks:\n  before:\n  - command: mine\n  after:\n    - command: two\n      timeout: 1\nmodel: x\n"],
])("adds to %s, and removes it byte for byte", (_, text) => {
  const added = mergeYaml(text, wanted);
  expect(yamlLists(added)).toMatchObject({
    before: [entries.before[0], ...(yamlLists(text).before ?? [])],
    after: [entry, ...(yamlLists(text).after ?? [])],
  });
  expect(mergeYaml(added, wanted)).toBe(added);
  expect(removeYaml(added, marks)).toBe(text);
});

it.each([
  ["in braces", "hooks: { start: [{ command: mine }] }\n"],
  ["with the event in brackets", "hooks:\n  before: [{ command: mine }]\n"],
  ["as a text", "hooks: none\n"],
])("refuses hooks that are written %s", (_, text) => {
  expect(() => mergeYaml(text, wanted)).toThrow(/in a form that cannot be added to/);
});

it("says where a file is not YAML", () => {
  expect(() => mergeYaml("a: [1\nb: 2\n", wanted)).toThrow(
    expect.objectContaining({ code: "HL_AGENT_FILE", position: expect.any(Number) }),
  );
  expect(() => mergeYaml("a: 1\na: 2\n", wanted)).toThrow(/unique/);
  expect(() => yamlLists("- a\n")).toThrow(/mapping/);
});

it("finds its hooks in a file that was written again without comments", () => {
  const command = JSON.stringify(entry.command);
  const again = `model: x\nhooks:\n  before:\n  - command: mine\n  - command: ${command}\n    timeout: 300\n  after:\n  - timeout: 300\n    command: ${command}\nlast: 1\n`;
  expect(removeYaml(again, marks)).toBe("model: x\nhooks:\n  before:\n  - command: mine\nlast: 1\n");
  expect(removeYaml(`a: 1\nhooks:\n  after:\n  - command: ${command}\n`, marks)).toBe("a: 1\n");
});

it("keeps the lines of a block whose end is missing", () => {
  const cut = mergeYaml("a: 1\n", wanted).replace("# Hookline ends here.\n", "");
  expect(yamlLists(removeYaml(cut, ["elsewhere"]))).toHaveProperty("before");
});
