import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// docs/benchmarks.md has three writers, one below the other: the bench of the bus, that of the line, and that of attached agents.
const MARKS = ["<!-- Below: npm run bench:line -->", "<!-- Below: npm run bench:agents -->"] as const;
const path = fileURLToPath(new URL("../docs/benchmarks.md", import.meta.url));

export function writeBusSection(markdown: string): void {
  write(sections().with(0, markdown));
}

export function writeLineSection(markdown: string): void {
  write(sections().with(1, markdown));
}

export function writeAgentSection(markdown: string): void {
  write(sections().with(2, markdown));
}

function sections(): string[] {
  const [bus = "", rest = ""] = readFileSync(path, "utf8").split(MARKS[0]);
  const [line = "", agents = ""] = rest.split(MARKS[1]);
  return [bus, line, agents];
}

function write([bus = "", ...others]: readonly string[]): void {
  const marked = others.map((section, at) => (section.trim() === "" ? "" : `\n${MARKS[at]}\n\n${section.trim()}\n`));
  writeFileSync(path, `${bus.trim()}\n${marked.join("")}`);
}
