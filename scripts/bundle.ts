import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, rolldown } from "rolldown";

// `node scripts/bundle.ts`: writes the compiled command line and hub once more, as a few hundred files instead of a thousand with those of
// the dependencies. Loading files is most of what a command does: `hookline hooks list` starts in two fifths of the time.
const compiled = fileURLToPath(new URL("../packages/hookline/dist", import.meta.url));
const folder = join(compiled, "bundle");
const LICENSES = "LICENSES.txt";
/** The command line, and the threads of the hub, which load a file by its path. */
const entries = [
  "cli/run.js",
  "hub/store/store-worker.js",
  "hub/store/verify-worker.js",
  "hub/ingest/preparer-worker.js",
  "hub/agents/call-reader-worker.js",
  "hub/backtest/backtest-worker.js",
];

const bundle = await rolldown({
  input: Object.fromEntries(entries.map((path) => [basename(path, ".js"), join(compiled, path)])),
  platform: "node",
  // What `main` leads to in jsonc-parser finds its own files with a function that no bundler understands.
  resolve: { mainFields: ["module", "main"] },
  plugins: [keepLocations(), readFewExports()],
});
const { output } = await bundle.write({
  dir: folder,
  format: "esm",
  chunkFileNames: "[name]-[hash].js",
  // `hookline status` is called by prompts and scripts: all that it loads is one file, of which other commands need the greater part.
  codeSplitting: { groups: [{ name: "common", test: /[\\/]cli[\\/]commands[\\/]status\.js$/ }] },
});
await bundle.close();
const chunks = output.filter((file) => file.type === "chunk");
writeFileSync(join(folder, LICENSES), licensesOf(chunks.flatMap(({ moduleIds }) => moduleIds)));
// Afterwards: a hub that was started meanwhile finds its files.
const written = new Set([LICENSES, ...output.map(({ fileName }) => fileName)]);
for (const name of readdirSync(folder)) if (!written.has(name)) rmSync(join(folder, name), { recursive: true });

/** A module finds files beside itself as before. Only another entry is beside it in the bundle. */
function keepLocations(): Plugin {
  const names = entries.map((path) => basename(path)).join("|");
  const ofEntry = new RegExp(`new URL\\("\\./(?:${names})", import\\.meta\\.url\\)|(import\\.meta\\.url)`, "g");
  return {
    name: "keep-locations",
    transform(code, id) {
      if (!id.startsWith(compiled + sep) || !code.includes("import.meta")) return null;
      const own = JSON.stringify(relative(folder, id).replaceAll(sep, "/"));
      return code.replace(ofEntry, (text, url?: string) => (url === undefined ? text : `new URL(${own}, import.meta.url).href`));
    },
  };
}

/** An import reads every export of a module of Node, and the lazy ones among them load more: those of `node:http` take 40 ms, longer than Node itself. */
function readFewExports(): Plugin {
  return {
    name: "read-few-exports",
    transform(code) {
      if (!code.includes('from "node:')) return null;
      return code.replace(
        /^import \{([^}]*)\} from ("node:[^"]+");/gm,
        (_, names: string, module: string) => `const {${names.replaceAll(" as ", ": ")}} = process.getBuiltinModule(${module});`,
      );
    },
  };
}

/** The licenses of the packages whose code is in the bundle. */
function licensesOf(ids: readonly string[]): string {
  const folders = new Set(ids.flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? []));
  const texts = [...folders].sort().map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as { readonly [key: string]: string };
    const file = readdirSync(path).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file !== undefined && existsSync(join(path, file)) ? readFileSync(join(path, file), "utf8").trim() : license;
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}
