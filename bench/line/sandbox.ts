import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Methods } from "./serve.ts";
import { type RunningProcess, startProcess } from "./start-process.ts";

/** Folders and processes of one measurement: nothing of the user's own hub is seen, and nothing is left behind. */
export interface Sandbox {
  /** On a real disk, where waiting for it costs what it costs. */
  readonly folder: string;
  /** For sockets, whose paths must be short. */
  readonly sockets: string;
  readonly env: NodeJS.ProcessEnv;
  start<M extends Methods>(file: string, args?: readonly string[]): Promise<RunningProcess<M>>;
  /** Writes `hookline.toml` and what it names. */
  configure(files: { readonly [name: string]: string }): void;
  close(): Promise<void>;
}

const cache = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));

/** `tree`: the folder of another version, whose processes are started. */
export function openSandbox(tree?: string): Sandbox {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "bench-line-"));
  const sockets = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  const config = join(folder, "config");
  const { HOOKLINE_FORWARD: _, NODE_OPTIONS: __, ...inherited } = process.env;
  const env = { ...inherited, XDG_STATE_HOME: join(folder, "state"), XDG_CONFIG_HOME: config, XDG_RUNTIME_DIR: sockets, NO_COLOR: "1" };
  const running = new Set<RunningProcess<Methods>>();
  const sweep = (): void => {
    for (const child of running) child.kill();
    for (const path of [folder, sockets]) rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  // A bench that is interrupted must not leave a frozen hub behind.
  process.once("exit", sweep);

  return {
    folder,
    sockets,
    env,
    async start<M extends Methods>(file: string, args: readonly string[] = []) {
      const child = await startProcess<M>(file, { env, args, tree });
      running.add(child as unknown as RunningProcess<Methods>);
      return child;
    },
    configure(files) {
      mkdirSync(join(config, "hookline"), { recursive: true });
      for (const [name, text] of Object.entries(files)) writeFileSync(join(config, "hookline", name), text, { mode: 0o600 });
    },
    async close() {
      await Promise.all([...running].map((child) => child.stop()));
      process.off("exit", sweep);
      sweep();
    },
  };
}
