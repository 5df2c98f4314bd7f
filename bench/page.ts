import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// docs/benchmarks.md has four writers, one below the other: the bench of the bus, that of the line, that of attached agents, and that of the page.
const MARKS = ["<!-- Below: npm run bench:line -->", "<!-- Below: npm run bench:agents -->", "<!-- Below: npm run bench:page -->"] as const;
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

export function writePageSection(markdown: string): void {
  write(sections().with(3, markdown));
}

function sections(): string[] {
  let rest = readFileSync(path, "utf8");
  const found = MARKS.map((mark) => {
    const [section = "", below = ""] = rest.split(mark);
    rest = below;
    return section;
  });
  return [...found, rest];
}

function write([bus = "", ...others]: readonly string[]): void {
  const marked = others.map((section, at) => (section.trim() === "" ? "" : `\n${MARKS[at]}\n\n${section.trim()}\n`));
  writeFileSync(path, `${bus.trim()}\n${marked.join("")}`);
}
