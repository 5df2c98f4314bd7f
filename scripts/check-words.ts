import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { violations } from "./words/constructions.ts";
import { sentencesOf } from "./words/prose.ts";

// `node scripts/check-words.ts [path …]`: reports constructions that the documentation, comments and texts avoid.
// Without a path it checks everything in `checked`.
const root = fileURLToPath(new URL("..", import.meta.url));
const checked = ["README.md", "ARCHITECTURE.md", "AGENTS.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "examples", "packages"];

const paths = process.argv.slice(2).map((path) => relative(root, resolve(path)));
const findings = (paths.length > 0 ? paths : checked).flatMap(filesIn).flatMap(findingsIn);

for (const { path, line, name, advice, text } of findings) console.error(`${path}:${line}: ${name}: ${advice}\n    ${text}`);
if (findings.length > 0) console.error(`${findings.length} sentences to rewrite.`);
process.exitCode = findings.length > 0 ? 1 : 0;

interface Finding {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly advice: string;
  readonly text: string;
}

function findingsIn(path: string): Finding[] {
  const sentences = sentencesOf(path, readFileSync(join(root, path), "utf8"));
  return sentences.flatMap((sentence) => violations(sentence).map(({ name, advice }) => ({ path, name, advice, ...sentence })));
}

function filesIn(path: string): string[] {
  if (statSync(join(root, path)).isFile()) return [path];
  const entries = readdirSync(join(root, path), { recursive: true, encoding: "utf8" });
  return entries.map((entry) => join(path, entry).replaceAll(sep, "/")).filter(isProse);
}

// In packages only READMEs and sources: `dist` is built and `schema` is generated from the sources.
function isProse(path: string): boolean {
  if (path.includes("/node_modules/")) return false;
  if (path.startsWith("packages/")) return /^packages\/[^/]+\/(?:README\.md|src\/.*\.tsx?)$/.test(path);
  return /\.(?:md|ts)$/.test(path);
}
