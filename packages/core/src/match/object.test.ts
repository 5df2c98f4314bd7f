import { describe, expect, it } from "vitest";
import { compileObject } from "./object.js";

const input = { kind: "delete", count: 3, deep: { list: [1, { a: 2 }] } };
const payload = { tool: { name: "Bash", runtimeName: "shell", input, output: "text" }, target: "src/a.ts" };
const holds = (match: object, given: unknown = payload, value?: unknown) => compileObject(match)?.(given, value);

describe("compileObject", () => {
  it("has nothing to check without keys", () => {
    expect(compileObject({})).toBeUndefined();
  });

  it("filters by tool", () => {
    expect(holds({ tool: "Read|Bash" })).toBe(true);
    expect(holds({ tool: ["Read", "shell"] })).toBe(true);
    expect(holds({ tool: ["read", "SHELL"] })).toBe(true);
    expect(holds({ tool: "Read" })).toBe(false);
  });

  it("searches the JSON of the input", () => {
    expect(holds({ contains: '"kind":"delete"' })).toBe(true);
    expect(holds({ contains: "Bash" })).toBe(false);
    expect(holds({ contains: "" }, {})).toBe(false);
  });

  it("searches inputs that JSON cannot carry", () => {
    const cyclic: { [key: string]: unknown } = { n: 12n };
    cyclic.self = cyclic;
    cyclic.command = "rm -rf";
    expect(holds({ contains: "rm -rf" }, { tool: { input: cyclic } })).toBe(true);
    expect(holds({ contains: "12" }, { tool: { input: cyclic } })).toBe(true);
  });

  it("compares the whole input", () => {
    expect(holds({ equals: structuredClone(input) })).toBe(true);
    expect(holds({ equals: { kind: "delete" } })).toBe(false);
    expect(holds({ equals: {} }, {})).toBe(false);
    expect(holds({ equals: null }, { tool: { input: null } })).toBe(true);
  });

  it("compares places: text as a glob, the rest deeply", () => {
    expect(holds({ where: { "tool.input.kind": "del*", "tool.args.count": 3, target: "*.ts" } })).toBe(true);
    expect(holds({ where: { "tool.input.kind": "del" } })).toBe(false);
    expect(holds({ where: { "tool.input.count": "3" } })).toBe(true);
    expect(holds({ where: { "tool.input.deep": { list: [1, { a: 2 }] } } })).toBe(true);
    expect(holds({ where: { "tool.input.deep.list.1.a": 1 } })).toBe(false);
    expect(holds({ where: { "tool.input.missing": "" } })).toBe(true);
    expect(holds({ where: { "tool.input.missing": false } })).toBe(false);
    expect(holds({ where: { "result.text": "n?w" } }, payload, "new")).toBe(true);
    expect(holds({ where: {} })).toBe(true);
  });

  it("compares a tool's name as the filter does, and nothing else", () => {
    for (const name of ["bash", "B*", "SHELL", "[a-c]ASH"]) expect(holds({ where: { "tool.name": name } })).toBe(true);
    expect(holds({ where: { "tool.runtimeName": "Sh*" } })).toBe(true);
    expect(holds({ where: { "tool.runtimeName": "bash" } })).toBe(false);
    expect(holds({ where: { "tool.input.kind": "Delete" } })).toBe(false);
  });

  it("wants all keys to hold", () => {
    const match = { tool: "Bash", contains: "delete", equals: input, where: { target: "src/*" } };
    expect(holds(match)).toBe(true);
    for (const wrong of [{ tool: "Read" }, { contains: "x" }, { equals: {} }, { where: { target: "x" } }])
      expect(holds({ ...match, ...wrong })).toBe(false);
  });

  it("does not hold where there is nothing to match, and throws for a payload that cannot be read", () => {
    const hostile = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error("no");
        },
        get() {
          throw new Error("no");
        },
      },
    );
    for (const match of [{ tool: "x" }, { contains: "x" }, { equals: { a: 1 } }, { where: { "tool.input": "x", "tool.input.a": 1 } }]) {
      for (const given of [undefined, null, 3]) expect(holds(match, given, given)).toBe(false);
      expect(() => holds(match, hostile)).toThrow("no");
    }
  });

  it("suggests the key that was meant", () => {
    expect(() => compileObject({ contain: "x" })).toThrow(
      'match has no key "contain". Did you mean "contains"? It takes tool, contains, equals, where.',
    );
    expect(() => compileObject(JSON.parse('{"__proto__":1}'))).toThrow('match has no key "__proto__".');
    expect(() => compileObject({ constructor: 1 })).toThrow('match has no key "constructor".');
  });

  it.each<[object]>([
    [[]],
    [/x/],
    [new Map()],
    [{ tool: undefined }],
    [{ contains: 3 }],
    [{ equals: undefined }],
    [{ equals: () => true }],
    [{ where: null }],
    [{ where: [] }],
    [{ where: { "a.b": undefined } }],
    [{ where: { "a.b": /x/ } }],
    [{ where: { "a..b": 1 } }],
    [{ where: { "a.b": "[" } }],
  ])("refuses %o", (match) => {
    expect(() => compileObject(match)).toThrow(expect.objectContaining({ code: "HL_BAD_MATCH" }));
  });

  it("points into the path or the glob of a place", () => {
    expect(() => compileObject({ where: { "a..b": 1 } })).toThrow(expect.objectContaining({ position: 2 }));
    expect(() => compileObject({ where: { "a.b": "xy[" } })).toThrow(expect.objectContaining({ position: 2 }));
  });
});
