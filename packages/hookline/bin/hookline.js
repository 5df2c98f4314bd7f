#!/usr/bin/env node
// Stands outside dist, so that it is there, and executable, before the first build. Old versions of Node must understand it.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const main = new URL("../dist/cli/main.js", import.meta.url);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const isOld = major < 22 || (major === 22 && minor < 23);
/** One that was installed as a package, in a repository or beside this one. */
const bundled = ["../../../node_modules/.bin/node", "../../.bin/node"]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path));

if (!existsSync(main)) {
  const repository = fileURLToPath(new URL("../../..", import.meta.url)).replace(/[\\/]$/, "");
  const folder = repository === process.cwd() ? "" : `--prefix '${repository}' `;
  process.stderr.write(`hookline is not built yet. Run: npm ${folder}run build\n`);
  process.exitCode = 1;
} else if (isOld && bundled !== undefined) runWith(bundled);
else await import(main.href);

/** In the same terminal, which sends Ctrl-C and its own end to both. */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGHUP"]) process.on(signal, () => {});
  process.on("SIGTERM", () => child.kill());
  child.on("error", (error) => {
    process.stderr.write(`hookline: ${node} cannot be started: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 1;
    if (signal === null) return;
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
