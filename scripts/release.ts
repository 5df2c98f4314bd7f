// `node scripts/release.ts 0.2.0` gives every package that version, and the changelog's first section its date.
// `node scripts/release.ts --notes` prints the changelog's section of the current version, for the release's page.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

const PACKAGES = ["core", "hookline", "fleet", "mcp", "otlp", "ui"];
const pathOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const readText = (name: string) => readFileSync(pathOf(name), "utf8");
const readJson = <T>(name: string) => JSON.parse(readText(name)) as T;
const writeJson = (name: string, value: unknown) => writeFileSync(pathOf(name), `${JSON.stringify(value, null, 2)}\n`);

const [, , given = ""] = process.argv;
const { version: current } = readJson<Manifest>("package.json");
if (given === "--notes") process.stdout.write(notesOf(current));
else if (/^\d+\.\d+\.\d+$/.test(given)) setVersion(given);
else {
  console.error("Give the next version, such as 0.2.0, or --notes.");
  process.exitCode = 1;
}

function notesOf(version: string): string {
  const section = readText("CHANGELOG.md")
    .split(/^(?=## )/m)
    .find((part) => part.startsWith(`## ${version},`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}, …".`);
  return section.slice(section.indexOf("\n") + 1).trimStart();
}

function setVersion(next: string): void {
  const changelog = readText("CHANGELOG.md");
  if (!/^## \S+, unreleased$/m.test(changelog)) throw new Error('CHANGELOG.md has no section "## <version>, unreleased".');
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(pathOf("CHANGELOG.md"), changelog.replace(/^## \S+, unreleased$/m, `## ${next}, ${today}`));
  for (const name of ["package.json", ...PACKAGES.map((folder) => `packages/${folder}/package.json`)]) {
    const manifest = readJson<Manifest>(name);
    writeJson(name, withVersion(manifest, next));
  }
  const lock = readJson<{ version: string; packages: Record<string, Manifest> }>("package-lock.json");
  lock.version = next;
  for (const path of ["", ...PACKAGES.map((folder) => `packages/${folder}`)])
    lock.packages[path] = withVersion(lock.packages[path] as Manifest, next);
  writeJson("package-lock.json", lock);
  for (const name of ["packages/python/pyproject.toml", "packages/python/src/hookline/__init__.py"])
    writeFileSync(pathOf(name), readText(name).replace(/^((?:__)?version(?:__)? = )".*"$/m, `$1"${next}"`));
  console.log(`Every package has version ${next}. Commit, then push the tag v${next}.`);
}

/** Our packages need exactly each other: they are published together. */
function withVersion(manifest: Manifest, next: string): Manifest {
  manifest.version = next;
  for (const needed of [manifest.dependencies, manifest.peerDependencies])
    for (const name of Object.keys(needed ?? {})) if (needed && /^(@hookline\/.+|hookline)$/.test(name)) needed[name] = next;
  return manifest;
}
