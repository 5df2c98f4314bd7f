import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import type { Facts } from "../package/scenarios.ts";

const LIMIT_MS = 60_000;
const facts = fileURLToPath(new URL("facts.ts", import.meta.url));
const core = fileURLToPath(new URL("../../packages/core/", import.meta.url));

// A date before workers got a `process` without a flag.
const WORKER_CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.mjs", esModule = embed "worker.mjs"), (name = "bundle.mjs", esModule = embed "bundle.mjs")],
    compatibilityDate = "2026-01-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

/** A project with the core as it would be published: a script for runtimes that have modules in folders, one bundle for the worker. */
export async function buildProgram(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-runtimes-"));
  const published = join(folder, "node_modules/@hookline/core");
  for (const part of ["package.json", "dist"]) cpSync(join(core, part), join(published, part), { recursive: true });
  await bundle(join(folder, "facts.mjs"), { external: /^@hookline\// });
  await bundle(join(folder, "bundle.mjs"), {
    alias: { "@hookline/core/remind": join(core, "dist/remind/index.js"), "@hookline/core": join(core, "dist/index.js") },
  });
  const files = {
    "package.json": JSON.stringify({ private: true, type: "module", dependencies: { "@hookline/core": "*" } }),
    "script.mjs": `import { collectFacts } from "./facts.mjs";\nconsole.log(JSON.stringify(await collectFacts()));\n`,
    "worker.mjs": `import { collectFacts } from "./bundle.mjs";\nexport default { fetch: async () => Response.json(await collectFacts()) };\n`,
    "worker.capnp": WORKER_CONFIG,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

interface BundleOptions {
  readonly external?: RegExp;
  readonly alias?: { readonly [name: string]: string };
}

async function bundle(file: string, { external, alias }: BundleOptions): Promise<void> {
  await using build = await rolldown({
    input: facts,
    platform: "neutral",
    ...(external !== undefined && { external }),
    ...(alias !== undefined && { resolve: { alias } }),
  });
  // One file: what is loaded later stands in it, too.
  await build.write({ file, format: "esm", codeSplitting: false });
}

/** Runs the script, and reads the facts from what it prints. */
export async function runScript(program: string, args: readonly string[], folder: string): Promise<Facts> {
  const { stdout } = await promisify(execFile)(program, [...args, "script.mjs"], { cwd: folder, timeout: LIMIT_MS, env: {} });
  return JSON.parse(stdout) as Facts;
}

/** Serves the worker on a free port of this machine, and asks it once. */
export async function askWorker(program: string, folder: string): Promise<Facts> {
  const child = spawn(program, ["serve", "worker.capnp", "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    const exited = once(child, "exit", { signal }).then(([code]) => Promise.reject(new Error(`workerd ended with exit code ${code}.`)));
    const [listening] = (await Promise.race([once(child.stdio[3] as Readable, "data", { signal }), exited])) as [Buffer];
    const { port } = JSON.parse(String(listening)) as { readonly port: number };
    const response = await fetch(`http://127.0.0.1:${port}`, { signal });
    if (!response.ok) throw new Error(`The worker answered with status ${response.status}.`);
    return (await response.json()) as Facts;
  } finally {
    child.kill();
  }
}
