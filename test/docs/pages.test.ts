import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { filesIn, pages, read, root } from "./repository.ts";

const prose = [...pages(), "CONTRIBUTING.md", "CHANGELOG.md", "AGENTS.md", ...filesIn("docs/reference", ".md")];

describe("README.md", () => {
  const readme = read("README.md");

  it("has exactly two commands for a fresh machine, each on a line of its own", () => {
    const commands = readme.split("\n").filter((line) => line.includes("npm ci"));
    expect(commands).toEqual(["npm ci && npm start", "npm ci && npm test"]);
  });

  it("has the test command that CI runs, and CI runs nothing else", () => {
    const [shebang, ...lines] = read(".ci/run").trimEnd().split("\n");
    expect(shebang).toBe("#!/usr/bin/env bash");
    expect(lines).toEqual(["set -euo pipefail", 'cd "$(dirname "$0")/.."', "npm ci && npm test"]);
    expect(statSync(join(root, ".ci/run")).mode & 0o111).toBe(0o111);
  });

  it("builds the bus into an agent in the ten lines of examples/embed.ts", () => {
    const example = readFileSync(new URL("../../examples/embed.ts", import.meta.url), "utf8");
    expect(example.trimEnd().split("\n")).toHaveLength(10);
    expect(readme).toContain(`\`\`\`ts\n${example}\`\`\``);
  });

  it("says the size that the package tests hold", () => {
    const limit = Number(/LIMIT_BYTES = ([\d_]+)/.exec(read("test/package/size.test.ts"))?.[1]?.replaceAll("_", ""));
    expect(readme).toContain(`is at most ${limit / 1000} kB`);
  });
});

describe("every page", () => {
  it.each(prose)("links only to what is there: %s", (page) => {
    const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
    expect(links.filter((target) => !leadsSomewhere(page, target))).toEqual([]);
  });

  it.each(prose)("names only files that are there: %s", (page) => {
    const names = [...read(page).matchAll(/`((?:packages|docs|examples|scripts|test|bench|\.ci)\/[\w./-]+)`/g)].map(
      ([, path = ""]) => path,
    );
    expect(names.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it.each(prose)("holds no path of a machine: %s", (page) => {
    expect(read(page)).not.toMatch(/\/(?:work|home|root|Users)\//);
  });
});

describe("a handler of a pattern", () => {
  const sources = ["core", "hookline"].flatMap((name) => filesIn(`packages/${name}/src`, ".ts")).filter((path) => !path.includes(".test."));

  it("says its stage in our pages, examples and code: in stage guard, a logger that fails would deny calls", () => {
    const found = [...pages(), ...filesIn("examples", ".ts"), ...sources].flatMap((path) =>
      [...read(path).matchAll(/^.*\.on\(\s*"(?:\*|[\w-]+:\*)"[^;]*;.*$/gm)].map(([text]) => `${path}: ${text.trim()}`),
    );
    const isSample = (text: string) => /`bus\.on\(|which is not an outcome$/.test(text);
    expect(found.length).toBeGreaterThan(3);
    expect(found.filter((text) => !text.includes("stage:") && !isSample(text))).toEqual([]);
  });
});

function leadsSomewhere(page: string, target: string): boolean {
  if (/^https?:/.test(target)) return true;
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(root, file))) return false;
  return anchor === undefined || anchorsOf(file).includes(anchor);
}

function anchorsOf(page: string): string[] {
  const headings = [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .replaceAll(" ", "-"),
  );
}
