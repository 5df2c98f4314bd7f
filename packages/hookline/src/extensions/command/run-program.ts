import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { HookError } from "@hookline/core";
import { expectGroup, guardGroup, isGroupAlive, releaseGroup, signalGroup } from "../../machine/process-groups.js";
import { createOutputTail } from "../process/output-tail.js";
import type { CommandOutput } from "./dialects/dialect.js";
import { explainSpawn, isFolder, type Program } from "./program.js";

const MAX_STDOUT = 1_048_576;
const MAX_STDERR = 65_536;
/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 500;

export interface RunOptions {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  /** Written to its stdin, which is then closed. */
  readonly input: string;
  /** When it aborts, the whole process group is ended, and the run rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

/** Starts a program in a new session without a terminal, and returns its output. Rejects with a HookError. */
export function runProgram(program: Program, { cwd, env, input, signal }: RunOptions): Promise<CommandOutput> {
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown) => reject(explainSpawn(error as NodeJS.ErrnoException, program, cwd, env.PATH));
    let child: ChildProcessWithoutNullStreams;
    try {
      // Checked first: for a missing folder, Node reports a missing program.
      if (!isFolder(cwd)) return refuse(Object.assign(new Error("no such folder"), { code: "ENOENT" }));
      expectGroup();
      child = spawn(program.file, [...program.args], { cwd, env: { ...env }, detached: true, windowsHide: true, stdio: "pipe" });
    } catch (error) {
      return refuse(error);
    }
    child.on("error", (error) => (child.pid === undefined ? refuse(error) : undefined));
    if (child.pid !== undefined) follow(child, child.pid, { input, signal, resolve, reject });
  });
}

interface Following {
  readonly input: string;
  readonly signal: AbortSignal;
  resolve(output: CommandOutput): void;
  reject(error: unknown): void;
}

function follow(child: ChildProcessWithoutNullStreams, pid: number, { input, signal, resolve, reject }: Following): void {
  const stderr = createOutputTail(MAX_STDERR);
  const stdout: Buffer[] = [];
  let size = 0;
  guardGroup(pid);
  const onAbort = () => fail(signal.reason);
  const settle = () => {
    signal.removeEventListener("abort", onAbort);
    // A process that inherited the pipes may keep them open for any time.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  };
  const fail = (error: unknown) => {
    settle();
    endGroup(pid);
    reject(error);
  };

  child.stdout.on("data", (chunk: Buffer) => {
    stdout.push(chunk);
    size += chunk.length;
    if (size > MAX_STDOUT) fail(tooMuch());
  });
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  // A program need not read its stdin.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
  child.stdin.end(input);

  child.once("exit", (code, killer) =>
    afterSilence(child, () => {
      if (signal.aborted || size > MAX_STDOUT) return;
      settle();
      leaveBehind(pid, signal);
      if (code === null) return reject(killedBy(killer, stderr.text()));
      const text = decode(Buffer.concat(stdout));
      if (text === undefined) return reject(notText());
      resolve({ exitCode: code, stdout: text, stderr: stderr.text() });
    }),
  );
  if (signal.aborted) return onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
}

/** Sends SIGTERM to the whole group, then kills what is left of it. */
function endGroup(pid: number): void {
  signalGroup(pid, "SIGTERM");
  setTimeout(() => releaseGroup(pid), GRACE_MS);
}

/** Background processes of the program may run until the deadline, and no longer. */
function leaveBehind(pid: number, signal: AbortSignal): void {
  if (signal.aborted || !isGroupAlive(pid)) return releaseGroup(pid);
  signal.addEventListener("abort", () => endGroup(pid), { once: true });
}

/** Strict decoding: an incomplete character is an error. */
function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function tooMuch(): HookError {
  return new HookError("HL_COMMAND_OUTPUT", `It wrote more than ${MAX_STDOUT} bytes to stdout.`, { failure: "invalid_verdict" });
}

function notText(): HookError {
  return new HookError("HL_COMMAND_OUTPUT", "Its stdout is not UTF-8.", { failure: "protocol_error" });
}

function killedBy(signal: NodeJS.Signals | null, stderr: string): HookError {
  const said = stderr.trim().slice(-200);
  const message = `It was ended by ${signal ?? "a signal"}${said === "" ? "." : `: ${JSON.stringify(said)}`}`;
  return new HookError("HL_COMMAND_FAILED", message, { failure: "crash" });
}

const SILENCE_MS = 50;
const MAX_MS = 1_000;

/**
 * Calls back once everything that a program wrote before its exit has been read. Its pipes may stay open in background processes, so this
 * does not wait for their end: the output is already in them, and the loop has read them at least once more.
 */
function afterSilence(child: ChildProcess, done: () => void): void {
  const since = Date.now();
  let isOver = false;
  let heard = 0;
  let timer: NodeJS.Timeout;
  const listen = () => void heard++;
  const finish = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    child.off("close", finish);
    for (const stream of [child.stdout, child.stderr]) stream?.off("data", listen);
    done();
  };
  const wait = () => {
    const before = heard;
    timer = setTimeout(() => {
      // After a busy period the timer fires before the pipes are read. One turn later they have been read.
      setImmediate(() => (heard === before || Date.now() - since > MAX_MS ? finish() : wait()));
    }, SILENCE_MS);
  };
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", listen);
  child.once("close", finish);
  wait();
}
