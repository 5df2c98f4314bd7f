import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const built = fileURLToPath(new URL("../../packages/hookline/dist/ui/", import.meta.url));
/** Charts and other parts are loaded after the first view; the dialogs of `hookline protect` and the parts of a fleet when they are needed. */
const MAX_BYTES = { all: 135_000, first: 92_000 };

it("all of the page is at most 135 kB, compressed, a first view 92 kB, and it asks nobody else for anything", () => {
  const files = readdirSync(built, { recursive: true, withFileTypes: true })
    // The icons of an installed app are loaded when a phone installs it.
    .filter((entry) => entry.isFile() && !/^app-.*\.png$/.test(entry.name))
    .map((entry) => ({ name: entry.name, size: gzipSync(readFileSync(join(entry.parentPath, entry.name))).length }));
  const sum = (some: typeof files) => some.reduce((total, { size }) => total + size, 0);
  expect(sum(files)).toBeLessThan(MAX_BYTES.all);
  const page = readFileSync(join(built, "index.html"), "utf8");
  expect(sum(files.filter(({ name }) => name === "index.html" || page.includes(name)))).toBeLessThan(MAX_BYTES.first);
  expect(page).not.toMatch(/fleet-parts|sign-in|enrol/);
  const html = readFileSync(join(built, "index.html"), "utf8");
  expect(html).not.toMatch(/https?:|<style|style=|<script(?![^>]*\ssrc="\/)/);
});
