// Old versions of Node must be able to parse this file and print its message. Newer syntax is in the modules imported below.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major > 22 || (major === 22 && minor >= 23)) {
  const { runInProcess } = isBundled() ? await loadBundle() : await import("./run.js");
  await runInProcess();
} else {
  process.stderr.write(
    `hookline needs Node 22.23 or later, and this is ${process.versions.node} (${process.execPath}).\n` +
      "Node 22.23 is the first with an SQLite that cannot lose committed events. Install a newer one, or put it first in PATH.\n",
  );
  process.exitCode = 1;
}

/** Whether `scripts/bundle.ts` has put all modules into a few files that load faster. In a checkout, one that was compiled again since is not used. */
function isBundled(): boolean {
  const compiled = ["../node", "../../../core/dist/node", "../../../core/dist/pure"].map((name) => writtenAt(`${name}.tsbuildinfo`));
  return writtenAt("../bundle/run.js") > Math.max(...compiled);
}

function writtenAt(path: string): number {
  // Not imported: an import reads every export, and the lazy ones take milliseconds.
  const { statSync } = process.getBuiltinModule("node:fs");
  return statSync(new URL(path, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function loadBundle(): Promise<typeof import("./run.js")> {
  // Not written as a constant: the compiler would look for the file.
  const path = "../bundle/run.js";
  return import(path);
}
