import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { HookError } from "@hookline/core";
import { expectGroup, guardGroup, isGroupAlive, releaseGroup, signalGroup } from "../../machine/process-groups.js";
import { createOutputTail } from "../process/output-tail.js";
import type { CommandOutput } from "./dialects/dialect.js";
import { explainSpawn, isFolder, type Program } from "./program.js";

const MAX_STDOUT = 1_048_576;
const MAX_STDERR = 65_536;
/** Between the request to end and the end. */
const GRACE_MS = 500;

export interface RunOptions {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  /** What it reads, before the end of its stdin. */
  readonly input: string;
  /** At its abort the whole group is ended, and the run rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

/** Starts a program in a session of its own, without a terminal, and gives what it left behind. Rejects with a HookError. */
export function runProgram(program: Program, { cwd, env, input, signal }: RunOptions): Promise<CommandOutput> {
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown) => reject(explainSpawn(error as NodeJS.ErrnoException, program, cwd, env.PATH));
    let child: ChildProcessWithoutNullStreams;
    try {
      // Asked first: Node says of a missing folder that the program is not there.
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
    // Whoever inherited the pipes may hold them as long as he likes.
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
  // A program that does not read what it is told is free to do so.
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

/** Asks the whole group to end, and ends what is left of it. */
function endGroup(pid: number): void {
  signalGroup(pid, "SIGTERM");
  setTimeout(() => releaseGroup(pid), GRACE_MS);
}

/** What the program left in the background has its time, and no more. */
function leaveBehind(pid: number, signal: AbortSignal): void {
  if (signal.aborted || !isGroupAlive(pid)) return releaseGroup(pid);
  signal.addEventListener("abort", () => endGroup(pid), { once: true });
}

/** Strictly: half a character is no answer. */
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
 * Calls back once what a program wrote before its end has been read. Its pipes may be open in the background for ever after, so their
 * end is not waited for; what it wrote is in them already, and the loop has looked there at least once more.
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
      // After a busy time the timer comes before the pipes are looked at: a turn later they have been.
      setImmediate(() => (heard === before || Date.now() - since > MAX_MS ? finish() : wait()));
    }, SILENCE_MS);
  };
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", listen);
  child.once("close", finish);
  wait();
}
