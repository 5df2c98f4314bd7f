import { type HookError, HookError as HookErrorClass } from "@hookline/core";
import { countText } from "@hookline/core/internal/text";
import { backoffDelay } from "@hookline/core/internal/wire";
import type { SourceState } from "../handler-source.js";
import { childEnvironment } from "./child-environment.js";
import { ExtensionProcess } from "./extension-process.js";
import { extensionError } from "./failures.js";
import type { ProcessProgram } from "./program.js";
import type { ExtensionTally } from "./tally.js";
import type { Tuning } from "./tuning.js";

/** Keeps one process of a program running: starts it on first use, restarts it when it ends, and gives up after several attempts. */
export class ProcessSupervisor {
  readonly #tuning: Tuning;
  readonly #tally: ExtensionTally;
  readonly #program: ProcessProgram;
  #state: "loaded" | "starting" | "running" | "restarting" | "failed" | "stopped" = "loaded";
  #process: ExtensionProcess | undefined;
  /** The start that is in progress or scheduled. */
  #coming: Promise<ExtensionProcess> | undefined;
  #wait: { readonly timer: NodeJS.Timeout; readonly cancel: () => void } | undefined;
  #lastCause: HookError | undefined;
  #failedAt = 0;
  #startedAt = 0;
  #lastStderr = "";
  /** In total, and since it last ran without a crash for `stableAfterMs`. */
  #restarts = 0;
  #restartsInRow = 0;
  readonly #closing = new AbortController();

  constructor(program: ProcessProgram, tuning: Tuning, tally: ExtensionTally) {
    this.#program = program;
    this.#tuning = tuning;
    this.#tally = tally;
  }

  get state(): SourceState {
    return this.#state === "running" && this.#tally.isDegraded ? "degraded" : this.#state;
  }

  get restarts(): number {
    return this.#restarts;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** The process, if it is ready. */
  get current(): ExtensionProcess | undefined {
    return this.#process?.isUsable === true ? this.#process : undefined;
  }

  stderr(): string {
    return this.#process?.stderr.text() ?? this.#lastStderr;
  }

  /** The process, as soon as it is ready. Rejects with the cause if it does not start. */
  async ready(): Promise<ExtensionProcess> {
    // A process that is being ended still exists; its successor starts when it has exited.
    while (this.#process !== undefined && !this.#process.isUsable) await this.#process.gone;
    if (this.#process !== undefined) return this.#process;
    if (this.#state === "stopped") throw this.#stopped();
    if (this.#coming !== undefined) return this.#coming;
    if (this.#state === "failed" && performance.now() - this.#failedAt < this.#tuning.retryAfterMs) throw this.#givenUp();
    return this.#begin(0);
  }

  async close(): Promise<void> {
    this.#state = "stopped";
    this.#closing.abort();
    this.#wait?.cancel();
    const coming = this.#coming?.then(
      (child) => child.stop(),
      () => {},
    );
    await Promise.all([this.#process?.stop(), coming]);
    this.#process = undefined;
  }

  #begin(delayMs: number): Promise<ExtensionProcess> {
    const coming = this.#arrive(delayMs);
    this.#coming = coming;
    // Without a waiting caller, a failed start must not be an unhandled rejection.
    coming.catch(() => {});
    return coming;
  }

  async #arrive(delayMs: number): Promise<ExtensionProcess> {
    if (delayMs > 0) await this.#pause(delayMs);
    if (this.#isStopped()) throw this.#stopped();
    this.#state = this.#restarts > 0 ? "restarting" : "starting";
    try {
      const started = await this.#spawn(this.#program);
      if (!this.#isStopped()) this.#adopt(started);
      return started;
    } catch (error) {
      this.#coming = undefined;
      if (!this.#isStopped()) this.#goOn(asHookError(this.#program.name, error), 0);
      throw error;
    }
  }

  #adopt(child: ExtensionProcess): void {
    this.#process = child;
    this.#coming = undefined;
    this.#startedAt = performance.now();
    this.#state = "running";
    this.#tally.isDegraded = false;
  }

  async #spawn(program: ProcessProgram): Promise<ExtensionProcess> {
    const { name, command, args, folder, framing, hooks } = program;
    const checked = program.check?.();
    const env = childEnvironment(process.env, program.env);
    const config = program.config?.(process.env, checked) ?? {};
    const started: { child?: ExtensionProcess } = {};
    started.child = await ExtensionProcess.start({
      line: { name, command, args, folder, env },
      framing,
      initialize: { name, hooks, config },
      // It has loaded its files by now.
      afterStart: () => void (checked && program.check?.(checked)),
      tuning: this.#tuning,
      tally: this.#tally,
      signal: this.#closing.signal,
      onEnd: (cause) => this.#ended(started.child, cause),
    });
    return started.child;
  }

  #ended(child: ExtensionProcess | undefined, cause: HookError): void {
    if (child === undefined || child !== this.#process) return;
    this.#process = undefined;
    this.#lastStderr = child.stderr.text();
    if (!this.#isStopped()) this.#goOn(cause, performance.now() - this.#startedAt);
  }

  /** Called after an exit or a failed start. */
  #goOn(cause: HookError, ranMs: number): void {
    this.#lastCause = cause;
    const { maxRestarts, restartBaseMs: baseMs, restartMaxMs: maxMs, stableAfterMs } = this.#tuning;
    if (ranMs >= stableAfterMs) this.#restartsInRow = 0;
    if (this.#restartsInRow >= maxRestarts) {
      this.#state = "failed";
      this.#failedAt = performance.now();
      return;
    }
    this.#restarts++;
    this.#state = "restarting";
    this.#begin(backoffDelay(this.#restartsInRow++, { baseMs, maxMs, jitter: 0 }));
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = () => {
        clearTimeout(timer);
        this.#wait = undefined;
        resolve();
      };
      const timer = setTimeout(cancel, ms);
      this.#wait = { timer, cancel };
    });
  }

  #isStopped(): boolean {
    return this.#state === "stopped";
  }

  #stopped(): HookError {
    return extensionError(this.#program.name, "HL_EXTENSION_STOPPED", "has been stopped.");
  }

  #givenUp(): HookError {
    const { maxRestarts, retryAfterMs } = this.#tuning;
    const cause = this.#lastCause;
    const note = `was restarted ${countText(maxRestarts, "time")} without success. The next attempt is after ${Math.round(retryAfterMs / 1000)} s.`;
    const message = `Extension "${this.#program.name}" ${note} Last: ${cause?.message}`;
    return new HookErrorClass(cause?.code ?? "HL_EXTENSION_START", message, { owner: this.#program.name, failure: cause?.failure, cause });
  }
}

function asHookError(name: string, error: unknown): HookError {
  if (error instanceof HookErrorClass) return error;
  return extensionError(name, "HL_EXTENSION_START", `cannot be started: ${error instanceof Error ? error.message : String(error)}`, error);
}
