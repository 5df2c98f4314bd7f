import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one of `programs/` on this Node, against what was built. `shell` comes before it, such as `ulimit -f 8`. */
export function runProgram(name: string, args: readonly string[], shell?: string): Promise<Ending> {
  const program = [process.execPath, fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url)), ...args];
  const [command = "", ...rest] = shell === undefined ? program : ["sh", "-c", `${shell}; exec "$@"`, "sh", ...program];
  const { NODE_OPTIONS: _, ...env } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, { env, stdio: ["ignore", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    for (const key of ["stdout", "stderr"] as const) child[key].setEncoding("utf8").on("data", (text: string) => (output[key] += text));
    child.on("error", reject).on("close", (code, signal) => resolve({ code, signal, ...output }));
  });
}
