// Old versions of Node must be able to parse this file and print its message. Newer syntax is in the modules imported below.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major > 22 || (major === 22 && minor >= 23)) {
  const { runInProcess } = await import("./run.js");
  await runInProcess();
} else {
  process.stderr.write(
    `hookline needs Node 22.23 or later, and this is ${process.versions.node} (${process.execPath}).\n` +
      "Node 22.23 is the first with an SQLite that cannot lose committed events. Install a newer one, or put it first in PATH.\n",
  );
  process.exitCode = 1;
}
