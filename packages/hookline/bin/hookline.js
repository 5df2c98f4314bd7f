#!/usr/bin/env node
// Stands outside dist, so that it is there, and executable, before the first build.
import { existsSync } from "node:fs";

const main = new URL("../dist/cli/main.js", import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  process.stderr.write("hookline is not built yet. Run: npm run build\n");
  process.exitCode = 1;
}
