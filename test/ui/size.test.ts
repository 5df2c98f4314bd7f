import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const built = fileURLToPath(new URL("../../packages/hookline/dist/ui/", import.meta.url));
/** The dialogs of `hookline protect` and the parts of a fleet are loaded when they are needed. */
const MAX_BYTES = { all: 125_000, first: 106_000 };

it("all of the page is at most 125 kB, compressed, a first view 106 kB, and it asks nobody else for anything", () => {
  const files = readdirSync(built, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => ({ name: entry.name, size: gzipSync(readFileSync(join(entry.parentPath, entry.name))).length }));
  const sum = (some: typeof files) => some.reduce((total, { size }) => total + size, 0);
  expect(sum(files)).toBeLessThan(MAX_BYTES.all);
  const page = readFileSync(join(built, "index.html"), "utf8");
  expect(sum(files.filter(({ name }) => name === "index.html" || page.includes(name)))).toBeLessThan(MAX_BYTES.first);
  expect(page).not.toMatch(/fleet-parts|sign-in|enrol/);
  const html = readFileSync(join(built, "index.html"), "utf8");
  expect(html).not.toMatch(/https?:|<style|style=|<script(?![^>]*\ssrc="\/)/);
});
