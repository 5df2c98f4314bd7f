import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const python = fileURLToPath(new URL("../../packages/python/src", import.meta.url));
const driver = (name: string) => fileURLToPath(new URL(`drivers/${name}`, import.meta.url));

/** The interpreter for the Python client: that of HOOKLINE_PYTHON, or `python3`. */
export const pythonProgram = process.env.HOOKLINE_PYTHON ?? "python3";
export const hasPython = spawnSync(pythonProgram, ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;

/** How to start the driver of each language. Another language is one line here and one program. */
export const clients: { readonly [language: string]: readonly string[] } = {
  typescript: [process.execPath, driver("driver.ts")],
  python: [pythonProgram, driver("driver.py")],
};

export interface Answer {
  readonly result?: { readonly [key: string]: unknown };
  readonly error?: string;
}

/** A process that has a client and does what it is told. */
export class ClientProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #ended: Promise<void>;
  #last = 0;
  said = "";

  constructor(language: string, env: NodeJS.ProcessEnv) {
    const [program = "", ...args] = clients[language] ?? [];
    const { NODE_OPTIONS: _, ...own } = env;
    this.#child = spawn(program, args, { env: { ...own, PYTHONPATH: python, PYTHONDONTWRITEBYTECODE: "1" } });
    this.#child.stdin?.on("error", () => {});
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.said += text));
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      const { id, ...answer } = JSON.parse(line) as Answer & { readonly id: number };
      this.#waiting.get(id)?.(answer);
      this.#waiting.delete(id);
    });
    this.#ended = new Promise((resolve) => {
      this.#child.on("close", () => {
        for (const settle of this.#waiting.values()) settle({ error: `the client ended: ${this.said}` });
        resolve();
      });
    });
  }

  ask(command: string, fields: object): Promise<Answer> {
    const id = ++this.#last;
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.#child.stdin?.write(`${JSON.stringify({ id, do: command, ...fields })}\n`);
    return answered;
  }

  /** Tells it to end in some way, and waits until it has. */
  end(how: string): Promise<void> {
    this.#child.stdin?.write(`${JSON.stringify({ id: 0, do: "end", how })}\n`);
    return this.#ended;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}
