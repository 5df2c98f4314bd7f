import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CodeBlock, runnableBlocks } from "./code-blocks.ts";
import { pages, read, root, runNode } from "./repository.ts";

const blocks = pages().flatMap((page) => runnableBlocks(page, read(page)));
// Outside the repository, because Node strips no types below node_modules; a link makes the packages resolve as a user's would.
const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-docs-")));

beforeAll(() => {
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings()));
  mkdirSync(join(folder, "blocks"));
  for (const block of blocks) writeFileSync(fileOf(block), block.text);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The one line that a program writes that connects to a hub where there is none. */
const NO_HUB = /^hookline: HL_NO_HUB There is no hub in .* Run: hookline up\n/;

describe("code in the documentation", () => {
  it("is there", () => {
    expect(blocks.map(({ page }) => page)).toEqual(expect.arrayContaining(["README.md", "docs/dispatch.md", "docs/outcomes.md"]));
  });

  it("compiles under the strict options of this repository", async () => {
    const { code, stdout } = await runNode([join(root, "node_modules/typescript/bin/tsc"), "-p", folder]);
    expect(stdout).toBe("");
    expect(code).toBe(0);
  });

  it.each(blocks.map((block) => [`${block.page}:${block.line}`, block] as const))("runs as written: %s", async (_, block) => {
    const { code, stdout, stderr } = await runNode([fileOf(block)]);
    expect(stderr.replace(NO_HUB, "")).toBe("");
    expect(code).toBe(0);
    if (block.prints !== undefined) expect(stdout.trimEnd().split("\n")).toEqual(block.prints);
  });
});

function fileOf({ page, line }: CodeBlock): string {
  return join(folder, "blocks", `${page.replaceAll(/\W/g, "-")}-${line}.ts`);
}

function settings(): object {
  return {
    extends: join(root, "tsconfig.base.json"),
    compilerOptions: { noEmit: true, composite: false, declaration: false, types: ["node"] },
    include: ["blocks"],
  };
}
