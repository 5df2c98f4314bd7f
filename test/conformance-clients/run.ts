import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// `npm run test:python`: every case, more kills and the documentation, with each Python from 3.9 on that is found.
const root = fileURLToPath(new URL("../..", import.meta.url));
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
const named = Array.from({ length: 7 }, (_, index) => `python3.${index + 9}`);
// pyenv puts only the versions in use into PATH.
const pyenv = globSync(join(process.env.PYENV_ROOT || join(homedir(), ".pyenv"), "versions/3.*/bin/python3")).sort();
const candidates = process.env.HOOKLINE_PYTHON === undefined ? ["python3", ...named, ...pyenv] : [process.env.HOOKLINE_PYTHON];

const found = new Map<string, string>();
for (const program of candidates) {
  const { stdout, status } = spawnSync(program, ["-c", "import sys; print(sys.version_info >= (3, 9), sys.version.split()[0])"]);
  const [isRecent, version = ""] = status === 0 ? String(stdout).trim().split(" ") : [];
  if (isRecent === "True" && !found.has(version)) found.set(version, program);
}
if (found.size === 0) throw new Error("No Python 3.9 or later was found. Install one, or name it in HOOKLINE_PYTHON.");

let failed = 0;
for (const [version, program] of found) {
  console.log(`Python ${version} (${program})`);
  const env = { ...process.env, HOOKLINE_PYTHON: program, HOOKLINE_THOROUGH: "1" };
  // Twenty kills take a minute on an idle machine.
  const args = [vitest, "run", "--testTimeout=900000", "test/conformance-clients", "test/docs/python", "test/docs/protocol"];
  if (spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" }).status !== 0) failed++;
}
process.exitCode = failed === 0 ? 0 : 1;
