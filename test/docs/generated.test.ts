import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { catalog } from "@hookline/core";
import { families, spellingsOf } from "@hookline/core/internal";
import { afterAll, describe, expect, it } from "vitest";
import { read, runNode } from "./repository.ts";

const script = "scripts/generate-docs.ts";
const generated = [
  "docs/reference/events.md",
  "docs/reference/errors.md",
  "docs/reference/sinks.md",
  "packages/core/schema/envelope.json",
  "packages/hookline/schema/hookline.json",
  "packages/hookline/src/hub/protocol.ts",
  "docs/agents.md",
  "docs/hub-api.md",
  "docs/security.md",
];
const folder = mkdtempSync(join(tmpdir(), "hookline-generated-"));
afterAll(() => rmSync(folder, { recursive: true }));

// `npm run check` looks whether they are fresh. Here, each start of the script takes seconds.
describe("generated documentation", () => {
  it("is the same each time, and a file that is stale is named with what mends it", async () => {
    await runNode([script, "--into", folder]);
    for (const path of generated) expect(readFileSync(join(folder, path), "utf8")).toBe(read(path));
    writeFileSync(join(folder, "docs/reference/errors.md"), "edited by hand");
    rmSync(join(folder, "docs/reference/sinks.md"));
    const { code, stderr } = await runNode([script, "--check", "--into", folder]);
    expect(code).toBe(1);
    for (const path of ["docs/reference/errors.md", "docs/reference/sinks.md", "npm run docs"]) expect(stderr).toContain(path);
    expect(stderr).not.toContain("docs/reference/events.md");
  });

  it("has every event and every spelling", () => {
    const page = read("docs/reference/events.md");
    for (const name of Object.keys(catalog)) for (const spelling of spellingsOf(name)) expect(page).toContain(`\`${spelling}\``);
    for (const namespace of Object.keys(families)) expect(page).toContain(`\`${namespace}:<name>\``);
  });
});
