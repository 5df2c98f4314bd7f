import * as fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { type KeyPath, locateKeys } from "./key-positions.js";

function at(text: string, path: KeyPath): string {
  const { line, column } = locateKeys(text)(path);
  return `${line}:${column}`;
}

describe("locateKeys", () => {
  it("finds keys of the document, of tables and of lists of tables", () => {
    const text =
      'top = 1\n\n[hub]\n  port = 2\n[[sink]]\ntype = "a"\n\n[[ sink ]]\n# type = "no"\n"type" = "b"\n[sink.retry]\nbaseMs = 1\n';
    expect(at(text, ["top"])).toBe("1:1");
    expect(at(text, ["hub"])).toBe("3:2");
    expect(at(text, ["hub", "port"])).toBe("4:3");
    expect(at(text, ["sink", 0])).toBe("5:3");
    expect(at(text, ["sink", 0, "type"])).toBe("6:1");
    expect(at(text, ["sink", 1])).toBe("8:4");
    expect(at(text, ["sink", 1, "type"])).toBe("10:1");
    expect(at(text, ["sink", 1, "retry"])).toBe("11:7");
    expect(at(text, ["sink", 1, "retry", "baseMs"])).toBe("12:1");
  });

  it("gives the innermost existing table for a missing key", () => {
    const text = "[[sink]]\ntype = 1\n[[sink]]\n";
    expect(at(text, ["sink", 1, "type"])).toBe("3:3");
    expect(at(text, ["elsewhere", "deep"])).toBe("1:1");
  });

  it("reads dotted and quoted keys, inline tables and lists over lines", () => {
    const text = `a . "b.c".'d' = { e = [1, { f = 2 }], "\\u0067" = 3 }\nlist = [\n  "x", # ]\n  [ 1,\n 2 ],\n]\n`;
    expect(parse(text)).toEqual({ a: { "b.c": { d: { e: [1, { f: 2 }], g: 3 } } }, list: ["x", [1, 2]] });
    expect(at(text, ["a", "b.c"])).toBe("1:5");
    expect(at(text, ["a", "b.c", "d"])).toBe("1:11");
    expect(at(text, ["a", "b.c", "d", "e", 1, "f"])).toBe("1:29");
    expect(at(text, ["a", "b.c", "d", "g"])).toBe("1:39");
    expect(at(text, ["list", 1])).toBe("4:3");
    expect(at(text, ["list", 1, 1])).toBe("5:2");
  });

  it("is not misled by what looks like keys within texts and comments", () => {
    const text = `a = """\nb = 1\n[c]\n\\""" ""\\" """""\nb = '''\n[[c]]\nd = "'''''\r\n# [c]\nc = "x # y = 1" # z = 2\nd = '\\'\n`;
    expect(Object.keys(parse(text))).toEqual(["a", "b", "c", "d"]);
    expect(at(text, ["b"])).toBe("5:1");
    expect(at(text, ["c"])).toBe("9:1");
    expect(at(text, ["d"])).toBe("10:1");
  });

  it("ends on text that is not TOML", () => {
    for (const text of ["[", "[[", "a", "= 1", "a = [1", "a = {", '"', "a = '''", "]]]", "\0", 'a."'])
      expect(locateKeys(text)(["a"])).toMatchObject({ line: 1 });
  });

  it("is right on documents in any style", () => {
    fc.assert(
      fc.property(documents, ({ text, marks }) => {
        const parsed = parse(text);
        const find = locateKeys(text);
        const lines = text.split("\n");
        for (const { path, offset, value } of marks) {
          if (value !== undefined) expect(path.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], parsed)).toBe(value);
          const { line, column } = find(path);
          const found = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
          expect({ path, offset: found }).toEqual({ path, offset });
        }
      }),
      { numRuns: 500 },
    );
  });
});

interface Mark {
  readonly path: KeyPath;
  readonly offset: number;
  readonly value?: unknown;
}

/** Writes a document and notes where it puts each key. */
class Writer {
  text = "";
  readonly marks: Mark[] = [];
  #count = 0;

  mark(path: KeyPath, value?: unknown): void {
    this.marks.push({ path, offset: this.text.length, ...(value !== undefined && { value }) });
  }

  value(path: KeyPath, shape: Shape): void {
    if (shape.type === "number") this.text += String(this.#count);
    if (shape.type === "text") this.text += shape.text;
    if (shape.type === "list")
      this.#members("[", "]", shape, (item, index) => {
        this.mark([...path, index], this.#expected(item));
        this.value([...path, index], item);
      });
    if (shape.type === "table") this.#members("{", "}", shape, (item, index) => this.pair(path, [`k${index}`], item, (key) => key));
  }

  pair(path: KeyPath, keys: readonly string[], shape: Shape, write: (key: string) => string): void {
    keys.forEach((key, index) => {
      const isLast = index === keys.length - 1;
      if (index > 0) this.text += " . ";
      this.mark([...path, ...keys.slice(0, index + 1)], isLast ? this.#expected(shape) : undefined);
      this.text += write(key);
    });
    this.text += " = ";
    this.value([...path, ...keys], shape);
  }

  #expected(shape: Shape): unknown {
    return shape.type === "number" ? ++this.#count : undefined;
  }

  #members(
    open: string,
    close: string,
    { items, gap }: Extract<Shape, { items: unknown }>,
    each: (item: Shape, index: number) => void,
  ): void {
    this.text += open + gap;
    items.forEach((item, index) => {
      each(item, index);
      this.text += index < items.length - 1 ? `,${gap}` : gap;
    });
    this.text += close;
  }
}

type Shape =
  | { readonly type: "number" }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "list" | "table"; readonly items: readonly Shape[]; readonly gap: string };

const texts = fc.constantFrom(
  '"a = 1 # ["',
  "'[x]'",
  '"""\nk0 = 1\n[[t]]\n"""',
  "'''\nq = \"\n'''",
  '"\\"]"',
  "true",
  "1979-05-27 07:32:00",
  '""',
  "''",
  '"""a""""',
);
const shapes = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constant<Shape>({ type: "number" }),
    texts.map((text): Shape => ({ type: "text", text })),
    fc
      .tuple(fc.array(tie("shape"), { maxLength: 3 }), fc.constantFrom("", " ", "\n", " # a, ] = {\n"))
      .map(([items, gap]): Shape => ({ type: "list", items, gap })),
    fc
      .tuple(fc.array(tie("shape"), { maxLength: 3 }), fc.constantFrom("", " "))
      .map(([items, gap]): Shape => ({ type: "table", items, gap })),
  ),
})).shape;

const spelling = fc.constantFrom<(key: string) => string>(
  (key) => key,
  (key) => `"${key}"`,
  (key) => `'${key}'`,
  (key) => `"\\u${key.charCodeAt(0).toString(16).padStart(4, "0")}${key.slice(1)}"`,
);
const noise = fc.constantFrom("", "\n", "# [[t0]] k0 = 1\n", "  \t\n");
const pairs = fc.array(fc.record({ depth: fc.integer({ min: 1, max: 3 }), shape: shapes, write: spelling, before: noise }), {
  maxLength: 4,
});
const tables = fc.array(fc.record({ kind: fc.constantFrom("table", "list"), pairs, before: noise, hasSub: fc.boolean() }), {
  maxLength: 4,
});

const documents = fc.record({ top: pairs, tables, end: fc.constantFrom("\n", "\r\n") }).map(({ top, tables: given, end }) => {
  const writer = new Writer();
  const writePairs = (path: KeyPath, list: typeof top): void =>
    list.forEach(({ depth, shape, write, before }, index) => {
      writer.text += before;
      writer.pair(
        path,
        Array.from({ length: depth }, (_, level) => `p${index}_${level}`),
        shape,
        write,
      );
      writer.text += end;
    });
  writePairs([], top);
  let lists = 0;
  given.forEach(({ kind, pairs: own, before, hasSub }, index) => {
    writer.text += before;
    const path = kind === "list" ? ["list", lists++] : [`t${index}`];
    writer.text += kind === "list" ? "[[" : "[ ";
    writer.mark(path);
    writer.text += `${String(path[0])}${kind === "list" ? "]]" : " ]"}${end}`;
    writePairs(path, own);
    if (!hasSub) return;
    writer.text += `[${String(path[0])}.`;
    writer.mark([...path, "sub"]);
    writer.text += `sub] # x = [${end}`;
    writePairs([...path, "sub"], own);
  });
  return { text: writer.text, marks: writer.marks };
});
