import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { read, root } from "./repository.ts";

const page = read("ARCHITECTURE.md");
const MAX_FILES = 45;

/** The first folders of the paths on the page, and where they are. */
const roots: { readonly [short: string]: string } = {
  core: "packages/core/src",
  hookline: "packages/hookline/src",
  fleet: "packages/fleet/src",
  mcp: "packages/mcp/src",
  ui: "packages/ui/src",
};

/** Every path in code marks, from the root. `<agent>` stands for any agent's folder; one of them is checked. */
function pathsIn(text: string): string[] {
  const marked = [...text.matchAll(/`((?:core|hookline|fleet|mcp|ui|packages|test|docs|scripts|examples|bench)\/[\w./<>-]*)`/g)];
  const paths = marked.map(([, path = ""]) => path.replace(/^\w+/, (first) => roots[first] ?? first));
  return [...new Set(paths)].map((path) => path.replace("<agent>", "claude-code"));
}

function section(heading: string): string {
  const [, text = ""] = page.split(`\n## ${heading}\n`);
  return text.split("\n## ")[0] ?? "";
}

describe("ARCHITECTURE.md", () => {
  it("names only files and folders that exist", () => {
    const paths = pathsIn(page);
    expect(paths.length).toBeGreaterThan(100);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(paths.filter((path) => path.endsWith("/") !== statSync(join(root, path)).isDirectory())).toEqual([]);
  });

  it("names every file in code marks by its path", () => {
    const bare = [...page.matchAll(/`([\w-]+\.tsx?)`/g)].map(([, name]) => name);
    expect(bare).toEqual([]);
  });

  it.each(["One event", "One decision"])(
    "%s passes through at most 45 files, and says through how many and in how many steps",
    (heading) => {
      const text = section(heading);
      const steps = [...text.matchAll(/^\d+\. /gm)].length;
      const walk = text.match(/^\d+\. .*$/gm) ?? [];
      const files = pathsIn(walk.join("\n")).filter((path) => !path.endsWith("/"));
      expect(steps).toBeGreaterThan(0);
      expect(files.length).toBeLessThanOrEqual(MAX_FILES);
      expect(text).toContain(`The walk has ${steps} steps and names ${files.length} files.`);
    },
  );

  it("opens with pictures, and has the glossary", () => {
    const beforeWalks = page.slice(0, page.indexOf("\n## One event\n"));
    expect(beforeWalks.match(/^```mermaid$/gm)).toHaveLength(2);
    expect(page).toContain("\n## Glossary\n");
  });
});
