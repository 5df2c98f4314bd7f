import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export function read(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
}

/** The files below a folder, as paths from the root, sorted. */
export function filesIn(folder: string, ending: string): string[] {
  const entries = readdirSync(new URL(`../../${folder}/`, import.meta.url), { recursive: true, encoding: "utf8" });
  return entries
    .filter((entry) => entry.endsWith(ending))
    .map((entry) => `${folder}/${entry.replaceAll("\\", "/")}`)
    .sort();
}

/** The pages a user reads. */
export function pages(): string[] {
  const docs = readdirSync(new URL("../../docs/", import.meta.url)).filter((name) => name.endsWith(".md"));
  return [
    "README.md",
    "ARCHITECTURE.md",
    "packages/core/README.md",
    "packages/hookline/README.md",
    ...docs.map((name) => `docs/${name}`).sort(),
  ];
}

interface Ending {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

// A user's shell does not have these variables, but the test runner's may.
const NOT_THE_USERS = ["NODE_OPTIONS", "FORCE_COLOR", "NO_COLOR", "HOOKLINE_TRACE", "HOOKLINE"];

// Examples that connect to a hub or load hooks must not find those of the machine that runs the tests.
const home = mkdtempSync(join(tmpdir(), "hookline-docs-home-"));
process.on("exit", () => rmSync(home, { recursive: true, force: true }));

/** Runs a file on this very Node, from the root. Never rejects. */
export function runNode(args: readonly string[]): Promise<Ending> {
  const env: NodeJS.ProcessEnv = { ...process.env, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home, XDG_RUNTIME_DIR: home };
  for (const name of NOT_THE_USERS) delete env[name];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root, env, timeout: 100_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? null), stdout, stderr });
    });
  });
}
