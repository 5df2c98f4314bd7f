import { cpSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { runNode } from "../docs/repository.ts";
import { testFolder } from "../support/test-folder.ts";
import { builtFile } from "./built.ts";

const main = builtFile("hookline", "dist/cli/main.js");

describe("the bundle of the command line", () => {
  it("has all that it loads: each of its files can be imported", async () => {
    const folder = join(dirname(main), "..", "bundle");
    const isModule = (name: string) => name.endsWith(".js") && !name.endsWith("-worker.js");
    const urls = readdirSync(folder)
      .filter(isModule)
      .map((name) => pathToFileURL(join(folder, name)).href);
    expect(urls.length).toBeGreaterThan(50);
    const code = `for (const url of ${JSON.stringify(urls)}) await import(url); console.log("all");`;
    expect(await runNode(["--input-type=module", "--eval", code])).toMatchObject({ code: 0, stdout: "all\n" });
  });

  it("says what to install for a fleet and for MCP where those packages are missing, and lists its commands all the same", async () => {
    const folder = testFolder();
    for (const path of ["package.json", "bin", "dist/bundle", "dist/cli/main.js"])
      cpSync(join(dirname(main), "..", "..", path), join(folder, path), { recursive: true });
    const run = (...args: string[]) => runNode([join(folder, "dist/cli/main.js"), ...args]);
    const { code, stderr } = await run("fleet", "status");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/needs the package @hookline\/fleet.*\n.*clone of Hookline.*npm ci && npm run build/),
    ]);
    for (const command of [["mcp", "pins"], ["acp"]])
      expect((await run(...command)).stderr).toMatch(/needs the package @hookline\/mcp.*\n.*clone of Hookline.*npm ci && npm run build/);
    expect(await run("fleet", "--help")).toMatchObject({ code: 0, stdout: expect.stringContaining("invite") });
  });

  const OLD = 1_000;
  const NEW = 2_000;
  it.each([
    ["is used where it is published without the notes of the compiler", { bundle: OLD }, "bundle"],
    ["is used if it was written after the modules were compiled", { bundle: NEW, compiled: OLD }, "bundle"],
    ["is not used if the modules were compiled after it", { bundle: OLD, compiled: NEW }, "modules"],
    ["is not missed", { compiled: OLD }, "modules"],
  ])("%s", async (_, { bundle, compiled }: { readonly bundle?: number; readonly compiled?: number }, loaded) => {
    const folder = testFolder();
    const put = (path: string, text: string, at = OLD) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
      utimesSync(join(folder, path), at, at);
    };
    put("package.json", '{ "type": "module" }');
    put("dist/cli/run.js", 'export const runInProcess = () => console.log("modules");');
    if (bundle !== undefined) put("dist/bundle/run.js", 'export const runInProcess = () => console.log("bundle");', bundle);
    if (compiled !== undefined) put("dist/node.tsbuildinfo", "", compiled);
    cpSync(main, join(folder, "dist/cli/main.js"));
    expect(await runNode([join(folder, "dist/cli/main.js")])).toMatchObject({ code: 0, stdout: `${loaded}\n` });
  });
});
