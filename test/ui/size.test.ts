import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const built = fileURLToPath(new URL("../../packages/hookline/dist/ui/", import.meta.url));
const MAX_BYTES = 120_000;

it("all of the page is at most 120 kB, compressed, and asks nobody else for anything", () => {
  const files = readdirSync(built, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  expect(files.reduce((sum, bytes) => sum + gzipSync(bytes).length, 0)).toBeLessThan(MAX_BYTES);
  const html = readFileSync(join(built, "index.html"), "utf8");
  expect(html).not.toMatch(/https?:|<style|style=|<script(?![^>]*\ssrc="\/)/);
});
