import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// docs/benchmarks.md has two writers: the bench of the bus writes what stands above this mark, the bench of the line what stands below.
const MARK = "<!-- Below: npm run bench:line -->";
const path = fileURLToPath(new URL("../docs/benchmarks.md", import.meta.url));

export function writeBusSection(markdown: string): void {
  const [, line] = sections();
  write(markdown, line);
}

export function writeLineSection(markdown: string): void {
  const [bus] = sections();
  write(bus, markdown);
}

function sections(): [bus: string, line: string] {
  const [bus = "", line = ""] = readFileSync(path, "utf8").split(MARK);
  return [bus, line];
}

function write(bus: string, line: string): void {
  writeFileSync(path, line.trim() === "" ? `${bus.trim()}\n` : `${bus.trim()}\n\n${MARK}\n\n${line.trim()}\n`);
}
