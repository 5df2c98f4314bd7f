import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { atMost, type Finding } from "../line/measurement.ts";

const LIMIT = 120_000;
const built = fileURLToPath(new URL("../../packages/hookline/dist/ui/", import.meta.url));

/** All files of the page, compressed. */
export function weight(): Finding[] {
  const files = readdirSync(built, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const sizes = files.map(({ name, parentPath }) => ({ name, bytes: gzipSync(readFileSync(join(parentPath, name))).length }));
  const sum = sizes.reduce((total, { bytes }) => total + bytes, 0);
  // The mark of the build in a name would be another each time.
  const each = sizes.map(({ name, bytes }) => `${name.replace(/-[\w-]{8}(?=\.)/, "")} ${kilobytes(bytes)}`).join(", ");
  return [
    atMost(LIMIT, sum, {
      row: "all files of the dashboard, gzip",
      what: "size",
      measured: kilobytes(sum),
      target: `at most ${kilobytes(LIMIT)}`,
      beside: each,
    }),
  ];
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}
