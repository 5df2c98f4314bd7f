import { gzipSync } from "node:zlib";
import { type OutputChunk, rolldown } from "rolldown";
import { expect, it } from "vitest";
import { builtFile } from "./built.js";

/** Bytes of all that `import "@hookline/core"` loads, minified and compressed. The goal is 12 kB: lower this with every gain. */
const LIMIT_BYTES = 36_500;

it(`the core entry is at most ${LIMIT_BYTES / 1000} kB`, async () => {
  const input = builtFile("core", "dist/index.js");
  const atOnce = await modulesLoadedAtOnce(input);
  const bundle = await rolldown({ input, preserveEntrySignatures: "allow-extension" });
  // One chunk of what is loaded at once: how a bundler would split it says nothing about the entry.
  const groups = [{ name: "at-once", test: (id: string) => atOnce.has(id) }];
  const { output } = await bundle.generate({
    format: "esm",
    minify: true,
    codeSplitting: { includeDependenciesRecursively: false, groups },
  });
  await bundle.close();
  const chunks = new Map(output.filter((file): file is OutputChunk => file.type === "chunk").map((chunk) => [chunk.fileName, chunk]));
  const [entry, ...later] = chunks.values();
  expect(later.map(({ name }) => name).sort()).toEqual(["approval", "decide-fast", "make-whole", "run-tool"]);
  const loaded = loadedWith(entry as OutputChunk, chunks);
  const size = [...loaded].reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0);
  expect(size, `${size} bytes after gzip`).toBeLessThanOrEqual(LIMIT_BYTES);
});

async function modulesLoadedAtOnce(input: string): Promise<ReadonlySet<string>> {
  const isLater = { name: "later", resolveDynamicImport: (id: string) => ({ id, external: true as const }) };
  const bundle = await rolldown({ input, plugins: [isLater] });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  return new Set(output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])));
}

/** The chunk and all that its static imports load. */
function loadedWith(chunk: OutputChunk, chunks: ReadonlyMap<string, OutputChunk>, loaded = new Set<OutputChunk>()): Set<OutputChunk> {
  if (loaded.has(chunk)) return loaded;
  loaded.add(chunk);
  for (const name of chunk.imports) loadedWith(chunks.get(name) as OutputChunk, chunks, loaded);
  return loaded;
}
