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

describe("generated documentation", () => {
  it("is fresh", { timeout: 120_000 }, async () => {
    expect(await runNode([script, "--check"])).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  // It starts three processes, which takes long on a busy machine.
  it("says which files are stale and what mends them", { timeout: 120_000 }, async () => {
    const all = await runNode([script, "--check", "--into", folder]);
    expect(all.code).toBe(1);
    for (const path of [...generated, "npm run docs"]) expect(all.stderr).toContain(path);
    await runNode([script, "--into", folder]);
    writeFileSync(join(folder, "docs/reference/errors.md"), "edited by hand");
    const one = await runNode([script, "--check", "--into", folder]);
    expect(one.code).toBe(1);
    expect(one.stderr).toContain("docs/reference/errors.md");
    expect(one.stderr).not.toContain("docs/reference/events.md");
  });

  it("is the same each time", { timeout: 120_000 }, async () => {
    await runNode([script, "--into", folder]);
    for (const path of generated) expect(readFileSync(join(folder, path), "utf8")).toBe(read(path));
  });

  it("has every event and every spelling", () => {
    const page = read("docs/reference/events.md");
    for (const name of Object.keys(catalog)) for (const spelling of spellingsOf(name)) expect(page).toContain(`\`${spelling}\``);
    for (const namespace of Object.keys(families)) expect(page).toContain(`\`${namespace}:<name>\``);
  });
});
