import { type ChildProcess, spawn } from "node:child_process";

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
  readonly isLate: boolean;
}

interface ChildOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** It and all that it started are ended after so long. */
  readonly limitMs: number;
}

const groups = new Set<number>();
process.on("exit", () => {
  for (const group of groups) killGroup(group);
});

/** A process in a group of its own, which ends as a whole: agents leave helpers behind. */
export class Child implements AsyncDisposable {
  readonly ended: Promise<Ending>;
  readonly #process: ChildProcess;
  #said = { out: "", err: "" };

  constructor(command: string, args: readonly string[], { env, cwd, limitMs }: ChildOptions) {
    this.#process = spawn(command, args, { env, cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const { pid, stdout, stderr } = this.#process;
    if (pid !== undefined) groups.add(pid);
    stdout?.setEncoding("utf8").on("data", (text: string) => (this.#said.out += text));
    stderr?.setEncoding("utf8").on("data", (text: string) => (this.#said.err += text));
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#end();
    }, limitMs);
    this.ended = new Promise((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null): void => {
        clearTimeout(timer);
        resolve({ code, signal, ...this.#said, isLate });
      };
      // Its helpers may hold its pipes for longer than it lives.
      this.#process.on("exit", () => setTimeout(() => this.#end(), 300));
      this.#process.on("close", end).on("error", (error) => {
        this.#said.err += error.message;
        end(null, null);
      });
    });
  }

  get pid(): number {
    return this.#process.pid as number;
  }

  get err(): string {
    return this.#said.err;
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** To the process itself, not to its group. */
  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Asks it to end, and waits until it has. */
  async stop(): Promise<Ending> {
    this.signal("SIGTERM");
    return this.ended;
  }

  /** Gone, with all that it started, when it resolves. */
  async kill(): Promise<Ending> {
    this.#end();
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  #end(): void {
    const { pid } = this.#process;
    if (pid === undefined) return;
    killGroup(pid);
    groups.delete(pid);
  }
}

function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}
