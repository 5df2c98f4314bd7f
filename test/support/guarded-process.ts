import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

interface Ran {
  readonly code: number | null;
  readonly out: string;
}

/** Runs the commands that it is sent, a line of JSON each, as the tools and hooks of an agent run: as its children. */
const PROGRAM = `
const { spawn } = require("node:child_process");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, command, args, input } = JSON.parse(line);
  const child = spawn(command, args, { stdio: "pipe" });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (out += text));
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  child.on("error", (error) => (out += error.message));
  child.on("close", (code) => process.stdout.write(JSON.stringify({ id, code, out }) + "\\n"));
});
`;

/** A process that stands for an agent. */
export interface GuardedProcess {
  readonly pid: number;
  run(command: string, args: readonly string[], input?: string): Promise<Ran>;
  end(): Promise<void>;
}

export function startGuardedProcess(env: NodeJS.ProcessEnv): GuardedProcess {
  const child: ChildProcess = spawn(process.execPath, ["-e", PROGRAM], { stdio: ["pipe", "pipe", "inherit"], env });
  onTestFinished(() => void child.kill());
  const waiting = new Map<number, (ran: Ran) => void>();
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { id, ...ran } = JSON.parse(line) as Ran & { readonly id: number };
      waiting.get(id)?.(ran);
    });
  let last = 0;
  return {
    pid: child.pid ?? 0,
    run: (command, args, input = "") =>
      new Promise((resolve) => {
        const id = ++last;
        waiting.set(id, resolve);
        child.stdin?.write(`${JSON.stringify({ id, command, args, input })}\n`);
      }),
    async end() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}
