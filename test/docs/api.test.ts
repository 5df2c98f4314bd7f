import { describe, expect, it } from "vitest";
import { exportsOf, publicEntries } from "../../scripts/docs/declarations.ts";
import { filesIn, pages, read } from "./repository.ts";

const entries = publicEntries().map((entry) => ({ ...entry, names: exportsOf(entry.file) }));
const all = entries.flatMap(({ specifier, names }) => names.map((one) => ({ ...one, specifier })));
const publicTypes = new Set(all.map(({ file, name }) => `${file} ${name}`));

describe("the public names", () => {
  it("are found, in both packages", () => {
    expect(entries.map(({ specifier }) => specifier)).toEqual(expect.arrayContaining(["@hookline/core", "hookline/hub"]));
    expect(all.length).toBeGreaterThan(100);
  });

  it("are each named in a guide or in the reference", () => {
    const text = [...pages(), ...filesIn("docs/reference", ".md")].map(read).join("\n");
    expect(all.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(text)).map(({ name }) => name)).toEqual([]);
  });

  it("have a doc comment of whole sentences", () => {
    const wrong = all.filter(({ comment = "" }) => !/^[A-Z`]/.test(comment) || !/[.:]$/.test(comment.split("\n\n")[0] ?? ""));
    expect(wrong.map(({ specifier, name, comment }) => `${specifier} ${name}: ${comment}`)).toEqual([]);
  });

  it("use no type of ours that a user cannot import", () => {
    const hidden = all.flatMap(({ specifier, name, references }) =>
      references
        .filter((one) => one.isType && !publicTypes.has(`${one.from} ${one.name}`))
        .map((one) => `${specifier} ${name}: ${one.name}`),
    );
    expect(hidden).toEqual([]);
  });
});

describe("what a user reads", () => {
  const prose = [...pages(), ...filesIn("docs/reference", ".md")].map((page) => [page, read(page)] as const);

  it.each(prose)("imports only public names of entries that exist: %s", (_, text) => {
    const imports = [...text.matchAll(/import (?:type )?\{([^}]*)\} from "((?:@hookline\/core|hookline)(?:\/[\w/]+)?)"/g)];
    const unknown = imports.flatMap(([, names = "", specifier = ""]) => {
      const known = entries.find((entry) => entry.specifier === specifier)?.names.map(({ name }) => name) ?? [];
      const imported = names.split(",").map((name) => name.trim().replace(/^type /, ""));
      return imported.filter((name) => name !== "" && !known.includes(name)).map((name) => `${specifier} ${name}`);
    });
    expect(unknown).toEqual([]);
  });

  it.each(["core", "hookline"])("has every public entry in the table of packages/%s/README.md, and no other", (folder) => {
    const manifest = JSON.parse(read(`packages/${folder}/package.json`)) as { name: string; exports: { [entry: string]: unknown } };
    const promised = Object.keys(manifest.exports).filter((entry) => !/^\.\/(internal|package\.json)/.test(entry));
    const named = [...read(`packages/${folder}/README.md`).matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual(promised.map((entry) => manifest.name + entry.slice(1)).sort());
  });
});
