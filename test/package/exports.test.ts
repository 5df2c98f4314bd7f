import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import * as source from "@hookline/core";
import * as sourceRemind from "@hookline/core/remind";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { builtFile, declaredNames, entriesOf, folderOf, importBuilt, installedNodes, manifestOf, publicEntriesOf } from "./built.js";
import { readLinks } from "./module-links.js";
import { type Core, type Remind, scenarios } from "./scenarios.js";

const run = promisify(execFile);

describe("every entry of a manifest", () => {
  for (const name of ["core", "hookline", "fleet", "mcp", "otlp"])
    for (const [entry, target] of Object.entries(manifestOf(name).exports))
      it(`exists: ${name} ${entry}`, () => {
        const paths = typeof target === "string" ? [target] : [target.types, target.default];
        expect(paths.filter((path) => !existsSync(join(folderOf(name), path)))).toEqual([]);
      });
});

describe("the public names", () => {
  for (const name of ["core", "hookline"])
    for (const { entry, code, types } of publicEntriesOf(name))
      it(`are what they were: ${name}${entry.slice(1)}`, async () => {
        const values = Object.keys(await importBuilt(name, code)).sort();
        const declared = declaredNames(builtFile(name, types));
        expect(values.filter((value) => !declared.includes(value))).toEqual([]);
        expect({ values, types: declared.filter((one) => !values.includes(one)) }).toMatchSnapshot();
      });

  it("include those the design fixes", () => {
    const fixed = ["createBus", "block", "ask", "allow", "modify", "inject", "remind", "replace", "again", "handled"];
    const more = ["lazy", "mirror", "createEventQueue", "getDefaultBus", "setDefaultBus"];
    expect(Object.keys(source)).toEqual(expect.arrayContaining([...fixed, ...more]));
  });
});

describe("the built core", () => {
  let built: Core;
  let builtRemind: Remind;
  beforeAll(async () => {
    built = (await importBuilt("core", "dist/index.js")) as Core;
    builtRemind = (await importBuilt("core", "dist/remind/index.js")) as Remind;
  });

  for (const [name, play, outcome] of scenarios) {
    it(`${name}, as the source does`, async () => {
      expect(await play(built, builtRemind)).toEqual(outcome);
      expect(await play(source, sourceRemind)).toEqual(outcome);
    });
  }

  it("leads to no Node module and no package", () => {
    const files = filesBehind(builtFile("core", "dist/index.js"));
    const outside = [...files].flatMap(([file, specifiers]) =>
      specifiers.filter((text) => !text.startsWith(".")).map((text) => [file, text]),
    );
    expect(files.size).toBeGreaterThan(10);
    expect(outside).toEqual([]);
  });

  describe("beside a second copy of itself", () => {
    afterEach(() => source.setDefaultBus(source.createBus()));

    it("shares the default bus", () => {
      const bus = source.createBus();
      source.setDefaultBus(bus);
      expect(built.getDefaultBus()).toBe(bus);
      const other = built.createBus();
      built.setDefaultBus(other);
      expect(source.getDefaultBus()).toBe(other);
    });

    it("understands the other's outcomes", async () => {
      const bus = source.createBus();
      bus.on("tool:before", () => built.block("from the other copy"));
      expect(await bus.decide("tool:before", { tool: { name: "x", input: {} } })).toMatchObject({ reason: "from the other copy" });
    });
  });
});

describe("what npm would publish of packages/core", () => {
  let packed: string[] = [];
  beforeAll(async () => {
    const { stdout } = await run("npm", ["pack", "--dry-run", "--json"], { cwd: folderOf("core"), shell: process.platform === "win32" });
    const [listing] = JSON.parse(stdout) as [{ readonly files: readonly { readonly path: string }[] }];
    packed = listing.files.map(({ path }) => path);
  });

  it("has every entry, its types, the schema and the manifest", () => {
    const targets = Object.values(manifestOf("core").exports).flatMap((target) =>
      typeof target === "string" ? [target] : Object.values(target),
    );
    expect(packed).toEqual(expect.arrayContaining(targets.map((path) => path.replace("./", ""))));
    expect(packed).toContain("schema/envelope.json");
  });

  it("has neither sources, nor tests, nor what the compiler notes for itself", () => {
    expect(packed.filter((path) => /^src\/|\.test\.|\.tsbuildinfo$|tsconfig/.test(path))).toEqual([]);
  });

  it("has nothing but code, types, the schema and what every package has", () => {
    const expected = /^(dist\/.+(\.js|\.d\.ts)|schema\/.+\.json|package\.json|README\.md|LICENSE)$/;
    expect(packed.filter((path) => !expected.test(path) && !path.endsWith(".tsbuildinfo"))).toEqual([]);
  });
});

describe("Node 20, the oldest we run on", () => {
  it("can import every entry of the built core and decide", async ({ skip }) => {
    const versions = await Promise.all(
      installedNodes().map(async (node) => ({ node, version: (await run(node, ["--version"])).stdout.trim() })),
    );
    const oldest = versions.find(({ version }) => version.startsWith("v20."));
    if (oldest === undefined) return skip(`no Node 20 on the PATH, only ${JSON.stringify(versions)}`);
    const { stdout } = await run(oldest.node, ["--input-type=module", "--eval", decideInOldNode()]);
    expect(JSON.parse(stdout)).toEqual({ node: "20", verdict: "deny", reason: "no", entries: entriesOf("core").length });
  });
});

function decideInOldNode(): string {
  const urls = entriesOf("core").map(({ code }) => pathToFileURL(builtFile("core", code)).href);
  return `
    const [core, ...others] = await Promise.all(${JSON.stringify(urls)}.map((url) => import(url)));
    const bus = core.createBus({ source: "old-node" });
    bus.on("tool:before", async () => core.block("no"), { match: "tool.name == 'bash'" });
    const { verdict, reason } = await bus.decide("tool:before", { tool: { name: "bash", input: {} } });
    console.log(JSON.stringify({ node: process.versions.node.split(".")[0], verdict, reason, entries: 1 + others.length }));
  `;
}

/** The files an entry leads to, itself included, and what each of them imports. */
function filesBehind(entry: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    const specifiers = readLinks(file, readFileSync(file, "utf8")).links.map(({ specifier }) => specifier);
    found.set(file, specifiers);
    for (const specifier of specifiers) if (specifier.startsWith(".")) open.push(join(file, "..", specifier));
  }
  return found;
}
