import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { readDashboardFile } from "./dashboard-files.js";

it("gives the dashboard's files with their types, and no others", () => {
  const folder = testFolder();
  mkdirSync(join(folder, "ui/assets/deep.js"), { recursive: true });
  const ui = join(folder, "ui");
  for (const name of [
    "index.html",
    "assets/index-C3po.js",
    "assets/a.css",
    "assets/f.woff2",
    "assets/.env.js",
    "assets/key.pem",
    "../secret.js",
  ])
    writeFileSync(join(ui, name), `content of ${name}`);
  symlinkSync(join(folder, "secret.js"), join(ui, "assets/link.js"));
  const read = (part: "" | "assets", name: string) => readDashboardFile(part, name, ui);
  expect(read("", "index.html")).toEqual({ type: "text/html; charset=utf-8", bytes: Buffer.from("content of index.html") });
  expect(["index-C3po.js", "a.css", "f.woff2"].map((name) => read("assets", name)?.type)).toEqual([
    "text/javascript; charset=utf-8",
    "text/css; charset=utf-8",
    "font/woff2",
  ]);
  for (const name of [
    "link.js",
    "deep.js",
    ".env.js",
    "key.pem",
    "../index.html",
    "../../secret.js",
    "missing.js",
    "a.css\0.js",
    "/etc/x.js",
    "",
  ])
    expect([name, read("assets", name)]).toEqual([name, undefined]);
});
