import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";
import { readLinks } from "./module-links.js";
import { repository } from "./source-tree.js";

// A build does not remove what an earlier one wrote: an import of a moved module works on until somebody builds a new clone.
it("every built module that tests, benchmarks and scripts import has a source", () => {
  const imported = ["test", "bench", "scripts", "examples"].flatMap((folder) => builtModules(join(repository, folder)));
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter(({ source }) => !existsSync(source)).map(({ from, specifier }) => `${from}: ${specifier}`)).toEqual([]);
});

function builtModules(folder: string): { from: string; specifier: string; source: string }[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.parentPath.includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name));
  return files.flatMap((file) =>
    readLinks(file, readFileSync(file, "utf8"))
      .links.filter(({ specifier }) => /^\.\.?\/.*packages\/[a-z]+\/dist\/.*\.js$/.test(specifier))
      .map(({ specifier }) => ({
        from: relative(repository, file),
        specifier,
        source: join(dirname(file), specifier)
          .replace(/(packages\/[a-z]+)\/dist\//, "$1/src/")
          .replace(/\.js$/, ".ts"),
      })),
  );
}
