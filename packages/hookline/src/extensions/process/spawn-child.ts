import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { HookError } from "@hookline/core";
import { expectGroup, guardGroup, releaseGroup, signalGroup } from "../../machine/process-groups.js";
import { type CommandLine, resolveCommand } from "./command-line.js";
import { extensionError } from "./failures.js";

export interface Child {
  readonly pid: number;
  readonly stdin: ChildProcessWithoutNullStreams["stdin"];
  readonly stdout: ChildProcessWithoutNullStreams["stdout"];
  readonly stderr: ChildProcessWithoutNullStreams["stderr"];
  /** How it ended. Resolves once it has ended, its output has been read and its group is gone. */
  readonly ended: Promise<string>;
  signal(signal: NodeJS.Signals): void;
}

/** How long a pipe may stay open after its process has ended: a process outside the group may hold it. */
const DRAIN_MS = 500;

/** Starts a process in a new group, with a pipe and never a terminal as its stdin. Throws a HookError that names the cause. */
export async function spawnChild(line: CommandLine): Promise<Child> {
  const program = resolveCommand(line);
  expectGroup();
  const child = spawn(program, line.args, { cwd: line.folder, env: line.env, stdio: "pipe", detached: true, windowsHide: true });
  const failed = spawnFailure(child, line);
  const { pid, stdin, stdout, stderr } = child;
  if (pid === undefined) throw await failed;
  // The exit event reports a child that ended; EPIPE adds nothing.
  for (const stream of [stdin, stdout, stderr]) stream.on("error", () => {});
  guardGroup(pid);
  return { pid, stdin, stdout, stderr, ended: endOf(child, pid), signal: (signal) => void signalGroup(pid, signal) };
}

function endOf(child: ChildProcessWithoutNullStreams, pid: number): Promise<string> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      releaseGroup(pid);
      const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      const finish = () => {
        clearTimeout(timer);
        child.stdout.destroy();
        child.stderr.destroy();
        child.stdin.destroy();
        resolve(how);
      };
      const timer = setTimeout(finish, DRAIN_MS);
      child.once("close", finish);
    });
  });
}

function spawnFailure(child: ChildProcessWithoutNullStreams, { name, command, folder }: CommandLine): Promise<HookError> {
  return new Promise((resolve) => {
    child.on("error", (cause: NodeJS.ErrnoException) => {
      const what =
        cause.code === "ENOENT"
          ? `cannot be started: "${command}", the interpreter in its first line, or "${folder}" does not exist.`
          : `cannot be started: ${cause.message}.`;
      resolve(extensionError(name, "HL_EXTENSION_COMMAND", what, cause));
    });
  });
}
