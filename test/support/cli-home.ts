import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeFolder } from "./remove-folder.ts";

const builtMain = fileURLToPath(new URL("../../packages/hookline/dist/cli/main.js", import.meta.url));

/** Behind what npm has put in front of it, so that the shell of a test knows `hookline` as the user's own would. */
const bin = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));

interface CliRun {
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
      await runWith({}, "down");
      for (const child of running) child.kill("SIGKILL");
      removeFolder(folder);
    },
  };
}
