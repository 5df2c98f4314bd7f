import { describe, expect, it } from "vitest";
import { findCycles } from "./cycles.js";
import { findViolations } from "./layers.js";
import { readLinks } from "./module-links.js";
import { readSourceTree } from "./source-tree.js";

describe("the sources", () => {
  it("are found", () => {
    const paths = [...readSourceTree().keys()];
    expect(paths).toEqual(
      expect.arrayContaining(["packages/core/src/index.ts", "packages/core/src/bus/bus.ts", "packages/core/package.json"]),
    );
    expect(paths.filter((path) => path.includes(".test."))).toEqual([]);
  });

  it("cast nothing to never: names known only at run time have types", () => {
    const casts = [...readSourceTree()].filter(([, source]) => /\bas (unknown as )?never\b(?=\s*[;,)\]}])/.test(source));
    expect(casts.map(([path]) => path)).toEqual([]);
  });

  it("import downwards only, and keep every other rule of the layout", () => {
    expect(findViolations(readSourceTree())).toEqual([]);
  });
});

describe("readLinks", () => {
  const read = (source: string) => readLinks("x.ts", source).links;
  const value = (specifier: string) => ({ specifier, isTypeOnly: false });
  const type = (specifier: string) => ({ specifier, isTypeOnly: true });

  const forms: [string, ReturnType<typeof read>][] = [
    [`import { a } from "./a.js";`, [value("./a.js")]],
    [`import * as a from './a.js'`, [value("./a.js")]],
    [`import "./a.js";`, [value("./a.js")]],
    [`import {\n  a,\n  b,\n} from\n  "./a.js";`, [value("./a.js")]],
    [`import type { A } from "./a.js";`, [type("./a.js")]],
    [`import { type A } from "./a.js";`, [value("./a.js")]],
    [`export { a } from "./a.js";`, [{ ...value("./a.js"), reexports: "names" }]],
    [`export type { A } from "./a.js";`, [{ ...type("./a.js"), reexports: "names" }]],
    [`export * from "./a.js";`, [{ ...value("./a.js"), reexports: "star" }]],
    [`export type * from "./a.js";`, [{ ...type("./a.js"), reexports: "star" }]],
    [`const load = () => import("./a.js");`, [value("./a.js")]],
    [`type A = import("./a.js").A; type B = typeof import("./b.js");`, [type("./a.js"), type("./b.js")]],
    [`import a = require("./a.js");`, [value("./a.js")]],
    [`// import "./a.js"\n/* import "./b.js" */ const text = 'import "./c.js"'; const re = /import "d"/;`, []],
    [`const text = \`import "./a.js"; \${await import("./b.js")}\`;`, [value("./b.js")]],
    [`declare module "@hookline/core" { interface A {} }`, []],
  ];
  for (const [source, links] of forms)
    it(`reads ${JSON.stringify(source)}`, () => {
      expect(read(source)).toEqual(links);
    });

  it("reads default exports in every form", () => {
    const defaults = [
      "export default 3;",
      "const a = 1; export { a as default };",
      `export { default } from "./a.js";`,
      "const a = 1; export = a;",
    ];
    expect(defaults.map((source) => readLinks("x.ts", source).hasDefaultExport)).toEqual([true, true, true, true]);
    expect(readLinks("x.ts", `import a from "./a.js"; export { a };`).hasDefaultExport).toBe(false);
  });

  it("names imports of something computed", () => {
    expect(readLinks("x.ts", "const load = (path: string) => import(path);").computedImports).toEqual(["import(path)"]);
  });

  it("does not pass over a file it cannot read", () => {
    expect(() => readLinks("x.ts", "import {")).toThrow("x.ts");
  });
});

describe("findCycles", () => {
  const graph = (edges: { readonly [from: string]: readonly string[] }) =>
    new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]));

  it("finds each circle once, and none where there is none", () => {
    expect(findCycles(graph({ a: ["b", "c"], b: ["c"], c: [] }))).toEqual([]);
    expect(findCycles(graph({ a: ["b"], b: ["c"], c: ["a"], d: ["a"] }))).toEqual([["a", "b", "c"]]);
    expect(findCycles(graph({ a: ["b"], b: ["a"], c: ["d"], d: ["c"] }))).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
    expect(findCycles(graph({ a: ["a"] }))).toEqual([["a"]]);
  });
});

describe("the checker finds a planted violation", () => {
  const core = "packages/core/src";
  const hub = "packages/hookline/src";
  const manifests = {
    "packages/core/package.json": `{ "name": "@hookline/core" }`,
    "packages/hookline/package.json": `{ "name": "hookline", "dependencies": { "@hookline/core": "1", "yaml": "1" } }`,
    "packages/ui/package.json": `{ "name": "@hookline/ui" }`,
  };
  /** One file per layer, each importing the one below: nothing wrong with it. */
  const sound = {
    ...manifests,
    [`${core}/index.ts`]: `export { bus } from "./bus/bus.js";\nexport type * from "./catalog/names.js";`,
    [`${core}/catalog/names.ts`]: `import type { Other } from "./other.js";\nexport const names = 1;`,
    [`${core}/catalog/other.ts`]: `import { names } from "./names.js";\nexport type Other = typeof names;`,
    [`${core}/match/glob.ts`]: `import { names } from "../catalog/names.js";`,
    [`${core}/bus/bus.ts`]: `import "../match/glob.js";\nexport const bus = 1;`,
    [`${core}/remind/book.ts`]: `import "../bus/bus.js";`,
    [`${core}/transcript/file.ts`]: `import "node:fs";\nimport "../bus/bus.js";\nimport "../remind/book.js";`,
    [`${core}/sinks/_delivery/queue.ts`]: `import "../sink.js";`,
    [`${core}/sinks/sink.ts`]: `import type {} from "./_delivery/queue.js";`,
    [`${core}/sinks/jsonl/jsonl.ts`]: `import "../_delivery/queue.js";\nimport "../../transcript/file.js";`,
    [`${hub}/rules/rules.ts`]: `import "@hookline/core";\nimport "yaml";\nimport "node:fs";`,
    [`${hub}/hub/protocol.ts`]: `export type {} from "../rules/rules.js";`,
    [`${hub}/cli/main.ts`]: `import "../hub/protocol.js";\nconst later = () => import("@hookline/core/sinks");`,
    "packages/ui/src/page.tsx": `import "../../hookline/src/hub/protocol.ts";\nimport "../../core/src/catalog/names.ts";\nimport "preact";`,
  };
  const check = (planted: { readonly [path: string]: string }) => findViolations(new Map(Object.entries({ ...sound, ...planted })));

  it("but nothing in a tree without one", () => {
    expect(check({})).toEqual([]);
  });

  const planted: [string, { readonly [path: string]: string }, string][] = [
    ["an import upwards", { [`${core}/catalog/x.ts`]: `import "../match/glob.js";` }, "catalog is below match"],
    ["an upward import of a type", { [`${core}/match/x.ts`]: `import type {} from "../bus/bus.js";` }, "match is below bus"],
    ["an upward import in a type", { [`${core}/bus/x.ts`]: `type A = import("../remind/book.js").A;` }, "bus is below remind"],
    ["an upward dynamic import", { [`${core}/transcript/x.ts`]: `await import("../sinks/sink.js");` }, "transcript is below sinks"],
    ["an upward re-export", { [`${core}/remind/x.ts`]: `export * from "../sinks/sink.js";` }, "remind is below sinks"],
    ["an import of the hub from the rules", { [`${hub}/rules/x.ts`]: `import "../hub/protocol.js";` }, "rules is below hub"],
    ["an import of the command line", { [`${hub}/hub/x.ts`]: `import "../cli/main.js";` }, "hub is below cli"],
    [
      "an import of the routes from the HTTP code",
      { [`${hub}/hub/http/x.ts`]: `import type {} from "../routes/y.js";`, [`${hub}/hub/routes/y.ts`]: "" },
      "hub/http/ is below packages/hookline/src/hub/routes/",
    ],
    ["neighbours in a circle", { [`${core}/remind/x.ts`]: `import type {} from "../transcript/file.js";` }, "core/remind, core/transcript"],
    ["an index imported from inside", { [`${core}/sinks/x.ts`]: `import "../index.js";` }, "imports an index.ts"],
    [
      "a folder imported for its index",
      { [`${core}/bus/index.ts`]: "", [`${core}/sinks/x.ts`]: `import "../bus";` },
      "imports an index.ts",
    ],
    ["a file of the root imported from a layer", { [`${core}/x.ts`]: "", [`${core}/bus/y.ts`]: `import "../x.js";` }, "package's root"],
    ["another's private folder", { [`${core}/adapters/x.ts`]: `import "../sinks/_delivery/queue.js";` }, `private to ${core}/sinks/`],
    ["a Node module in a pure folder", { [`${core}/remind/x.ts`]: `import type {} from "node:fs";` }, "a node: module"],
    ["a Node module without its prefix", { [`${core}/bus/x.ts`]: `import "fs";` }, `"fs" is no dependency`],
    ["a package in the core", { [`${core}/sinks/x.ts`]: `import "yaml";` }, `"yaml" is no dependency`],
    ["a package nobody declared", { [`${hub}/cli/x.ts`]: `import "@scope/left-pad/deep";` }, `"@scope/left-pad" is no dependency`],
    ["a package that imports itself", { [`${core}/sinks/x.ts`]: `import "@hookline/core";` }, "not itself"],
    ["the core reaching for the hub", { [`${core}/sinks/x.ts`]: `import "hookline";` }, `"hookline" is no dependency`],
    ["a way around the package wall", { [`${hub}/cli/x.ts`]: `import "../../../core/src/bus/bus.js";` }, "another package"],
    ["a page that sees too much", { "packages/ui/src/x.ts": `import "../../core/src/bus/bus.ts";` }, "another package"],
    ["an entry that needs Node", { [`${core}/index.ts`]: `export {} from "./transcript/file.js";` }, "leads to node:fs"],
    ["an entry with a star", { [`${core}/sinks/index.ts`]: `export * from "./sink.js";` }, "one by one"],
    ["a default export", { [`${core}/bus/x.ts`]: "export default 1;" }, "default export"],
    ["a file named utils", { [`${core}/bus/utils.ts`]: "" }, "says nothing"],
    ["a folder named helpers", { [`${core}/bus/_helpers/x.ts`]: "" }, "says nothing"],
    ["a folder in no layer", { [`${core}/stuff/x.ts`]: "" }, `"stuff" is in no layer`],
    [
      "a cycle of values",
      { [`${core}/bus/x.ts`]: `import "./y.js";`, [`${core}/bus/y.ts`]: `import { type A } from "./x.js";` },
      "import cycle",
    ],
    ["an import of nothing", { [`${core}/bus/x.ts`]: `import "./missing.js";` }, "no source file"],
    ["an import that cannot be read", { [`${core}/bus/x.ts`]: "await import(name);" }, "cannot be checked"],
    ["a dependency of the core", { "packages/core/package.json": `{ "dependencies": {} }` }, `"dependencies" in a package`],
  ];
  for (const [what, files, message] of planted)
    it(`: ${what}`, () => {
      expect(check(files)).toContainEqual(expect.stringContaining(message));
    });

  it("and says nothing of a cycle that is gone after compilation", () => {
    const files = { [`${core}/bus/x.ts`]: `import "./y.js";`, [`${core}/bus/y.ts`]: `import type {} from "./x.js";` };
    expect(check(files)).toEqual([]);
  });
});
