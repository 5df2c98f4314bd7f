import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findLockHolder, isLocked } from "../../packages/hookline/src/machine/lock.ts";
import { removeFolder } from "./remove-folder.ts";

const builtMain = fileURLToPath(new URL("../../packages/hookline/dist/cli/main.js", import.meta.url));

/** Behind what npm has put in front of it, so that the shell of a test knows `hookline` as the user's own would. */
const bin = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));

export interface CliRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A command that goes on, and what it has said so far. */
interface CliProcess {
  readonly child: ChildProcess;
  readonly out: string;
  readonly err: string;
  readonly ended: Promise<CliRun>;
}

export interface CliHome {
  readonly folder: string;
  readonly state: string;
  readonly env: NodeJS.ProcessEnv;
  /** Puts a file into the home folder and gives its path. */
  write(name: string, content: string): string;
  start(...args: readonly string[]): CliProcess;
  run(...args: readonly string[]): Promise<CliRun>;
  runWith(
    options: { readonly input?: string; readonly env?: NodeJS.ProcessEnv; readonly node?: string },
    ...args: readonly string[]
  ): Promise<CliRun>;
  /** Stops what was started, the hub included. */
  close(): Promise<void>;
}

/** The built command line in a home of its own. */
export function createCliHome(main = builtMain): CliHome {
  const folder = mkdtempSync(join(tmpdir(), "hl-cli-"));
  const state = join(folder, "state", "hookline");
  mkdirSync(join(folder, "run"), { mode: 0o700 });
  const { NO_COLOR: _, FORCE_COLOR: __, HOOKLINE_FORWARD: ___, HOOKLINE: ____, ...inherited } = process.env;
  const env = {
    ...inherited,
    PATH: `${inherited.PATH}${delimiter}${bin}`,
    HOME: folder,
    XDG_STATE_HOME: join(folder, "state"),
    XDG_RUNTIME_DIR: join(folder, "run"),
    XDG_CONFIG_HOME: join(folder, "config"),
  };
  const running = new Set<ChildProcess>();

  const launch = (args: readonly string[], more: NodeJS.ProcessEnv = {}, node = process.execPath): CliProcess => {
    const child = spawn(node, [main, ...args], { env: { ...env, ...more }, cwd: folder });
    running.add(child);
    const said = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said.out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said.err += text));
    const ended = new Promise<CliRun>((resolve) =>
      child.on("close", (code) => {
        running.delete(child);
        resolve({ code, ...said });
      }),
    );
    return {
      child,
      ended,
      get out() {
        return said.out;
      },
      get err() {
        return said.err;
      },
    };
  };
  const runWith: CliHome["runWith"] = ({ input = "", env: more, node }, ...args) => {
    const { child, ended } = launch(args, more, node);
    child.stdin?.on("error", () => {}).end(input);
    return ended;
  };
  return {
    folder,
    state,
    env,
    write(name, content) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content, { mode: 0o600 });
      return join(folder, name);
    },
    start: (...args) => launch(args),
    run: (...args) => runWith({}, ...args),
    runWith,
    async close() {
      await stopHub(join(state, "hub.lock"));
      for (const child of running) child.kill("SIGKILL");
      removeFolder(folder);
    },
  };
}

/**
 * A home in which `run` runs the built command line in this process, with its environment and in its folder, for tests of what commands do:
 * a process for each would be most of their time. `runWith` and `start` still start processes. One home at a time.
 */
export function createHomeInProcess(): CliHome {
  const home = createCliHome();
  const [cwd, before] = [process.cwd(), { ...process.env }];
  useEnv(home.env);
  process.chdir(home.folder);
  return {
    ...home,
    run: (...args) => runInThisProcess(args),
    async close() {
      process.chdir(cwd);
      useEnv(before);
      await home.close();
    },
  };
}

function useEnv(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
}

async function runInThisProcess(args: readonly string[]): Promise<CliRun> {
  // As Node would load it: a test that imports it would get its sources.
  const load = createRequire(builtMain);
  const { run } = load("./run.js") as typeof import("../../packages/hookline/src/cli/run.ts");
  const { createTerminal } = load("./terminal.js") as typeof import("../../packages/hookline/src/cli/terminal.ts");
  const said = { out: "", err: "" };
  const terminal = createTerminal({
    env: process.env,
    stdin: Readable.from([]) as NodeJS.ReadStream,
    stdout: { write: (text) => (said.out += text) },
    stderr: { write: (text) => (said.err += text) },
  });
  return { code: await run(args, terminal), ...said };
}

const STOP_MS = 60_000;

/** Ends the hub that holds the lock, also one that stands still. */
async function stopHub(lock: string): Promise<void> {
  const pid = findLockHolder(lock);
  if (pid === undefined) return;
  for (const signal of ["SIGTERM", "SIGCONT"] as const) process.kill(pid, signal);
  for (const end = Date.now() + STOP_MS; isLocked(lock); await sleep(10)) {
    if (Date.now() < end) continue;
    process.kill(pid, "SIGKILL");
    throw new Error(`The hub (process ${pid}) did not stop.`);
  }
}
