import { spawn } from "node:child_process";
import { constants } from "node:os";
import { CliError } from "../cli-error.js";
import { shortened } from "../report-error.js";

const MAX_ECHO = 200;
const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;
/** A terminal also sends these to the agent. */
const FROM_TERMINAL = ["SIGINT", "SIGQUIT"] as const;
const PASSED_ON = ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"] as const;

/** How an agent ended. */
export interface AgentEnd {
  /** The exit code that a shell would report. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | null;
}

/** Runs a command on this terminal with its own input, output and signals, as if Hookline were not involved. */
export function startAgent(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<AgentEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: "inherit" });
    const isOnTerminal = process.stdin.isTTY === true || process.stdout.isTTY === true || process.stderr.isTTY === true;
    const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
    const hold = isOnTerminal ? (): void => {} : pass;
    for (const signal of FROM_TERMINAL) process.on(signal, hold);
    for (const signal of PASSED_ON) process.on(signal, pass);
    const done = (): void => {
      for (const signal of FROM_TERMINAL) process.off(signal, hold);
      for (const signal of PASSED_ON) process.off(signal, pass);
    };
    child.on("error", (error: NodeJS.ErrnoException) => {
      done();
      if (error.code === "ENOENT") reject(notFound(command, error));
      else
        reject(
          new CliError(`"${shortened(command, MAX_ECHO)}" cannot be run: ${error.message}.`, { exitCode: NOT_RUNNABLE, cause: error }),
        );
    });
    child.on("exit", (code, signal) => {
      done();
      resolve({ exitCode: signal === null ? (code ?? 1) : 128 + constants.signals[signal], signal });
    });
  });
}

export function notFound(command: string, cause?: Error): CliError {
  return new CliError(`"${shortened(command, MAX_ECHO)}" is not in the PATH.`, {
    exitCode: NOT_FOUND,
    fix: { run: "hookline agents" },
    cause,
  });
}
