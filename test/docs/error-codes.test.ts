import { describe, expect, it } from "vitest";
import { errorCodes } from "../../packages/core/src/catalog/error-codes.ts";
import { filesIn, pages, read } from "./repository.ts";

const table = Object.keys(errorCodes).sort();
const sources = ["packages/core/src", "packages/hookline/src", "packages/fleet/src", "packages/mcp/src", "packages/otlp/src"].flatMap(
  (folder) => filesIn(folder, ".ts"),
);
const code = sources.filter((path) => !path.endsWith(".test.ts") && !path.endsWith("/error-codes.ts"));

describe("error codes", () => {
  it("are all in the table", () => {
    expect(namedIn(code).filter((name) => !table.includes(name))).toEqual([]);
  });

  it("are all raised somewhere", () => {
    // In quotes: a comment that names a code does not raise it.
    const raised = code.flatMap((path) => [...read(path).matchAll(/"(HL_[A-Z_]+)"/g)].map(([, name]) => name));
    expect(table.filter((name) => !raised.includes(name))).toEqual([]);
  });

  it("are documented, each under a heading of its own, and no others are", () => {
    const headings = [...read("docs/reference/errors.md").matchAll(/^## (HL_[A-Z_]+)$/gm)].map(([, name = ""]) => name);
    expect(headings.sort()).toEqual(table);
  });

  it("say when they come and what to do", () => {
    for (const { when, fix } of Object.values(errorCodes)) for (const text of [when, fix]) expect(text).toMatch(/^\S.*\.$/);
  });

  it("exist wherever a page names them", () => {
    expect(namedIn(pages()).filter((name) => !table.includes(name))).toEqual([]);
  });
});

function namedIn(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => read(path).match(/\bHL_[A-Z_]*[A-Z]\b/g) ?? []))].sort();
}
