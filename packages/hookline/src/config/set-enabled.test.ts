import * as fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parseConfig } from "./load-config.js";
import { indexAtLine, type SwitchedTable, setEntryKey } from "./set-enabled.js";

const setEnabled = (text: string, table: SwitchedTable, index: number, value: boolean) =>
  setEntryKey(text, table, index, { key: "enabled", value });

it("sets a key whose value is text, and keeps the comments", () => {
  const text = '# mine\n[[rule]]\nname = "a" # first\nmode = "shadow" # for now\ndo = "block"\n';
  expect(setEntryKey(text, "rule", 0, { key: "mode", value: "enforce" })).toBe(text.replace('"shadow"', '"enforce"'));
  expect(setEntryKey('[[rule]]\nname = "a"\n', "rule", 0, { key: "mode", value: "shadow" })).toBe(
    '[[rule]]\nname = "a"\nmode = "shadow"\n',
  );
});

describe("setEnabled", () => {
  it("replaces the value, and keeps what is around it", () => {
    const text = '[[rule]]\nname = "a"\n  enabled   =  true   # for now\ndo = "block"\n';
    expect(setEnabled(text, "rule", 0, false)).toBe(text.replace("true", "false"));
    expect(setEnabled(text, "rule", 0, true)).toBe(text);
    expect(setEnabled('[[sink]]\n"enabled"="no"# x', "sink", 0, false)).toBe('[[sink]]\n"enabled"=false# x');
  });

  it("adds a line after the name, or after the header where there is none", () => {
    expect(setEnabled('[[hook]]\n\tname = "a" # mine\nmodule = "m.js"\n', "hook", 0, false)).toBe(
      '[[hook]]\n\tname = "a" # mine\n\tenabled = false\nmodule = "m.js"\n',
    );
    expect(setEnabled('  [[ hook ]] # first\nmodule = "m.js"\n', "hook", 0, false)).toBe(
      '  [[ hook ]] # first\n  enabled = false\nmodule = "m.js"\n',
    );
    expect(setEnabled("[[rule]]\nname = '''\na\nname = 2'''\n[[rule]]\n", "rule", 0, true)).toBe(
      "[[rule]]\nname = '''\na\nname = 2'''\nenabled = true\n[[rule]]\n",
    );
  });

  it("writes line ends as they are written, also where the last is missing", () => {
    expect(setEnabled('[[hook]]\r\nname = "a"\r\nx = 1\r\n', "hook", 0, false)).toBe(
      '[[hook]]\r\nname = "a"\r\nenabled = false\r\nx = 1\r\n',
    );
    expect(setEnabled('[[hook]]\r\nname = "a"', "hook", 0, false)).toBe('[[hook]]\r\nname = "a"\r\nenabled = false');
    expect(setEnabled("[[hook]]", "hook", 0, false)).toBe("[[hook]]\nenabled = false");
    expect(setEnabled("[[hook]]\nenabled = true", "hook", 0, false)).toBe("[[hook]]\nenabled = false");
    expect(setEnabled("\uFEFF[[hook]]\n[[hook]]\n", "hook", 1, false)).toBe("\uFEFF[[hook]]\n[[hook]]\nenabled = false\n");
  });

  it("is not fooled by texts, comments and tables within the entry", () => {
    const text = `[[rule]]
description = """
[[rule]]
name = "b"
enabled = true
"""
# enabled = true
match.enabled = true
set = { enabled = true, name = "c" }
[rule.examples]
enabled = true
name = "d"
[[rule]]
`;
    expect(setEnabled(text, "rule", 0, false)).toBe(text.replace("[[rule]]\n", "[[rule]]\nenabled = false\n"));
    expect(setEnabled(text, "rule", 1, false)).toBe(`${text}enabled = false\n`);
  });

  it("returns undefined for a missing entry", () => {
    for (const text of ["", "[[rule]]\n", "hook = []\n", "[hook]\nname = 1\n", "hook = 1\n"])
      expect(setEnabled(text, "hook", 0, false)).toBeUndefined();
    expect(setEnabled("[[hook]]\n", "hook", 1, false)).toBeUndefined();
    expect(setEnabled("[[hook]]\n", "hook", -1, false)).toBeUndefined();
  });

  it("refuses what has to be edited by hand", () => {
    const inline = 'hook = [ { module = "m.js" }, { module = "n.js", enabled = true } ]\n';
    expect(() => setEnabled(inline, "hook", 1, false)).toThrow(/^"hook" is a list within brackets.* write enabled = false .* by hand\.$/);
    for (const odd of ["enabled = []", "enabled = { a = 1 }", "enabled.a = 1", "[hook.enabled]"])
      expect(() => setEnabled(`[[hook]]\n${odd}\n`, "hook", 0, true)).toThrow("by hand");
    expect(() => setEnabled("[[hook]]\nname =\n", "hook", 0, true)).toThrow(/^Line 2, column \d+: This is not TOML/);
  });

  it("finds an entry by the line that its config has", async () => {
    const text = `# comment
[[rule]]
name = "a"
do = "block"
message = """
[[rule]]"""
  [[hook]]
  module = "deep/one.js"
  event = "tool:before"
[[rule]]
do = "ask"
name = "b"`;
    const { config, problems } = await parseConfig(text, "/none/hookline.toml");
    expect(problems).toEqual([]);
    const lines = (config?.rules ?? []).map(({ line }) => indexAtLine(text, "rule", line));
    expect(lines).toEqual([0, 1]);
    expect(indexAtLine(text, "hook", config?.hooks[0]?.line ?? 0)).toBe(0);
    for (const line of [-1, 0, 1, 6, 8, 99]) expect(indexAtLine(text, "rule", line)).toBeUndefined();
    const next = setEnabled(text, "rule", 1, false) as string;
    expect(next).toBe(`${text}\nenabled = false`);
    expect((await parseConfig(next, "/none/hookline.toml")).config?.rules.map(({ enabled }) => enabled)).toEqual([undefined, false]);
  });

  it("changes nothing else in documents in any style", () => {
    fc.assert(
      fc.property(documents, fc.nat(), fc.boolean(), ({ text, entries }, pick, isEnabled) => {
        const { table, index, line } = entries[pick % entries.length] as Entry;
        expect(indexAtLine(text, table, line)).toBe(index);
        const next = setEnabled(text, table, index, isEnabled) as string;
        const wanted = parse(text) as { [table: string]: { enabled?: boolean }[] };
        (wanted[table]?.[index] as { enabled?: boolean }).enabled = isEnabled;
        expect(parse(next)).toEqual(wanted);
        expect(isOneEdit(text, next, isEnabled)).toBe(true);
        expect(setEnabled(next, table, index, isEnabled)).toBe(next);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** Whether one value was replaced, or one line was added. */
function isOneEdit(before: string, after: string, isEnabled: boolean): boolean {
  if (before === after) return true;
  const [old, now] = [before.split("\n"), after.split("\n")];
  const at = now.findIndex((line, index) => line !== old[index]);
  const line = now[at] as string;
  if (now.length === old.length) {
    const isRestored = now.with(at, old[at] as string).join("\n") === before;
    return isRestored && old[at] === line.replace(String(isEnabled), String(!isEnabled));
  }
  const isAppended = after.startsWith(before) && after.slice(before.length).trim() === `enabled = ${isEnabled}`;
  return isAppended || (now.toSpliced(at, 1).join("\n") === before && line.trim() === `enabled = ${isEnabled}`);
}

interface Entry {
  readonly table: SwitchedTable;
  readonly index: number;
  readonly line: number;
}

const fields = fc.constantFrom(
  'K = "[[hook]]"',
  "K = '''\nenabled = true\n[[rule]]\nname = \"x\"\n'''",
  'K = """\n[[sink]]\n\\""" enabled = false\n"""',
  "K = { enabled = true, name = 'y' }",
  "K = [\n  { enabled = false }, # enabled = true ]\n  '[[hook]]',\n]",
  "K.enabled = true",
  "K . name = 1 # [[hook]]",
  "# enabled = true",
  "",
);
const names = fc.constantFrom("name = 'n' # it", '"name" = "n # ="', 'name="""\nn"""', "name = '''n\n[[hook]]\nenabled = true'''");
const switches = fc.constantFrom(
  "enabled = true",
  "enabled=false # off",
  '"enabled" =  true\t',
  "'enabled' = false #true",
  '"\\u0065nabled" = true',
);
const headers = fc.constantFrom<(table: string) => string>(
  (table) => `[[${table}]]`,
  (table) => `[[ "${table}" ]] # [[hook]]`,
  (table) => `\t[['${table}']]`,
);
const entry = fc.record({
  table: fc.constantFrom<SwitchedTable>("hook", "rule", "sink"),
  header: headers,
  fields: fc.array(fields, { maxLength: 4 }),
  name: fc.option(names, { nil: undefined }),
  enabled: fc.option(switches, { nil: undefined }),
  order: fc.nat(),
  indentation: fc.constantFrom("", "  ", "\t"),
  sub: fc.option(fc.constantFrom("[T.sub]\nenabled = true\nname = 'z'", "[[T.list]]\nenabled = false"), { nil: undefined }),
});
const documents = fc
  .record({
    top: fc.array(fields, { maxLength: 2 }),
    entries: fc.array(entry, { minLength: 1, maxLength: 5 }),
    isWindows: fc.boolean(),
    hasEnd: fc.boolean(),
  })
  .map(({ top, entries, isWindows, hasEnd }) => {
    const counts = { hook: 0, rule: 0, sink: 0 };
    const places: Entry[] = [];
    const lines = top.map((field, index) => field.replace("K", `top${index}`));
    for (const { table, header, fields: given, name, enabled, order, indentation, sub } of entries) {
      places.push({ table, index: counts[table]++, line: lines.join("\n").split("\n").length + (lines.length > 0 ? 1 : 0) });
      lines.push(header(table));
      const own = [...given.map((field, index) => field.replace("K", `k${index}`)), name, enabled].filter((line) => line !== undefined);
      const turn = order % (own.length + 1);
      lines.push(...[...own.slice(turn), ...own.slice(0, turn)].map((line) => indentation + line));
      if (sub !== undefined) lines.push(sub.replace("T", table));
    }
    const text = lines.join("\n") + (hasEnd ? "\n" : "");
    return { text: isWindows ? text.replaceAll("\n", "\r\n") : text, entries: places };
  });
