import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Channel, ChannelListener } from "./channel.js";
import { LineChannel } from "./line-channel.js";
import type { Message } from "./message.js";

/** How long a server has to end after its input was closed, and again after SIGTERM. */
const GRACE_MS = 2_000;

export interface ChildCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** A server or an agent as a child process. What it says on stderr goes to ours. */
export class ChildChannel implements Channel {
  readonly isProcess = true;
  readonly #command: ChildCommand;
  #child: ChildProcess | undefined;
  #lines: LineChannel | undefined;

  constructor(command: ChildCommand) {
    this.#command = command;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async open(listener: ChannelListener): Promise<void> {
    const { command, args, env } = this.#command;
    // A group of its own on Unix: runners such as npx start the server as a child of theirs, and both must end.
    const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit"], detached: !isWindows, windowsHide: true });
    this.#child = child;
    // A child that cannot be started has no streams to listen to.
    const [started] = await Promise.race([once(child, "spawn").then(() => [true]), once(child, "error")]);
    if (started !== true) throw started;
    child.on("error", () => {});
    // Whatever ends this process, the server does not outlive it.
    const endWithUs = (): void => killGroup(child, "SIGTERM");
    process.once("exit", endWithUs);
    child.once("exit", () => process.off("exit", endWithUs));
    let end: ((why: string) => void) | undefined = (why) => {
      end = undefined;
      listener.closed(why);
    };
    child.once("close", (code, signal) => end?.(signal === null ? `It exited with code ${code}.` : `It was ended by ${signal}.`));
    if (child.stdout === null || child.stdin === null) throw new Error("The process has no pipes.");
    this.#lines = new LineChannel(child.stdout, child.stdin);
    await this.#lines.open({ ...listener, closed: () => void this.#stop(child) });
  }

  send(message: Message): Promise<void> {
    return this.#lines?.send(message) ?? Promise.resolve();
  }

  pause(): void {
    this.#lines?.pause();
  }

  resume(): void {
    this.#lines?.resume();
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined || hasEnded(child)) return;
    await this.#lines?.close();
    await this.#stop(child);
  }

  async #stop(child: ChildProcess): Promise<void> {
    child.stdin?.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await Promise.race([hasEnded(child) ? undefined : once(child, "exit"), sleep(GRACE_MS, undefined, { ref: false })]);
      if (hasEnded(child)) return killGroup(child, "SIGKILL");
      killGroup(child, signal);
    }
    // A paused pipe would keep the process from being reaped as closed.
    child.stdout?.destroy();
  }
}

const isWindows = process.platform === "win32";

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** The process and what it has started. A group may be gone already. */
function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    if (isWindows) child.kill(signal);
    else process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}
