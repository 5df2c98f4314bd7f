import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { envelopeSchema } from "../packages/core/dist/catalog/envelope-schema.js";
import { configJsonSchema } from "../packages/hookline/dist/config/schema/json-schema.js";
import { agentsPage } from "./docs/agents-page.ts";
import { apiPages } from "./docs/api-pages.ts";
import { comparisonPage } from "./docs/comparison-page.ts";
import { errorsPage } from "./docs/errors-page.ts";
import { eventsPage } from "./docs/events-page.ts";
import { hubApiPage } from "./docs/hub-api-page.ts";
import { hubProtocol } from "./docs/hub-protocol.ts";
import { manPage } from "./docs/man-page.ts";
import { payloadsPage } from "./docs/payloads-page.ts";
import { pythonCatalog, pythonSecrets } from "./docs/python-data.ts";
import { securityPage } from "./docs/security-page.ts";
import { notifyPage, sinksPage } from "./docs/sinks-page.ts";

const { version } = JSON.parse(own("packages/hookline/package.json")) as { readonly version: string };
const manual = await manPage(version);
const comparison = await comparisonPage(own("docs/comparison.md"));

// `node scripts/generate-docs.ts [--check] [--into <folder>]`: writes, or checks, what derives from the built code.
const files: ReadonlyMap<string, () => string> = new Map([
  ["docs/reference/events.md", eventsPage],
  ["docs/reference/payloads.md", payloadsPage],
  ["docs/reference/errors.md", errorsPage],
  ["docs/reference/sinks.md", sinksPage],
  ["docs/reference/notify.md", notifyPage],
  ...apiPages(),
  ["docs/agents.md", () => agentsPage(own("docs/agents.md"))],
  ["docs/comparison.md", () => comparison],
  ["docs/hub-api.md", () => hubApiPage(own("docs/hub-api.md"))],
  ["docs/security.md", () => securityPage(own("docs/security.md"))],
  ["packages/core/schema/envelope.json", () => `${JSON.stringify(envelopeSchema, null, 2)}\n`],
  ["packages/python/src/hookline/data/catalog.json", pythonCatalog],
  ["packages/python/src/hookline/data/secrets.json", pythonSecrets],
  ["packages/hookline/src/hub/protocol.ts", () => hubProtocol(own("packages/hookline/src/hub/protocol.ts"))],
  ["packages/hookline/man/hookline.1", () => manual],
  ["packages/hookline/schema/hookline.json", () => `${JSON.stringify(configJsonSchema(), null, 2)}\n`],
]);

const { values: options } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    into: { type: "string", default: fileURLToPath(new URL("..", import.meta.url)) },
  },
});

const stale = [...files].filter(([path, generate]) => read(join(options.into, path)) !== generate()).map(([path]) => path);
if (options.check) report(stale);
else for (const path of stale) write(path);

function report(paths: readonly string[]): void {
  if (paths.length === 0) return;
  console.error(`Out of date: ${paths.join(", ")}. Run "npm run docs" and commit what it writes.`);
  process.exitCode = 1;
}

function write(path: string): void {
  const file = join(options.into, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, files.get(path)?.() ?? "");
  console.log(`Wrote ${path}.`);
}

/** A file of this repository, of which a part is generated. */
function own(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
