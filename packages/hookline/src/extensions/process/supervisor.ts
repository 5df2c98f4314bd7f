import { type HookError, HookError as HookErrorClass } from "@hookline/core";
import type { SourceState } from "../handler-source.js";
import { childEnvironment } from "./child-environment.js";
import { ExtensionProcess } from "./extension-process.js";
import { extensionError } from "./failures.js";
import type { ProcessProgram } from "./program.js";
import { createRestarts, type Restarts } from "./restarts.js";
import type { ExtensionTally } from "./tally.js";
import type { Tuning } from "./tuning.js";

/** Keeps one process of a program running: starts it when it is first wanted, again when it ends, and gives up after a few times. */
export class ProcessSupervisor {
  readonly #tuning: Tuning;
  readonly #tally: ExtensionTally;
  readonly #restarts: Restarts;
  #program: ProcessProgram;
  #state: "loaded" | "starting" | "running" | "restarting" | "failed" | "stopped" = "loaded";
  #process: ExtensionProcess | undefined;
  /** The start that is under way or waits for its time. */
  #coming: Promise<ExtensionProcess> | undefined;
  #wait: { readonly timer: NodeJS.Timeout; readonly cancel: () => void } | undefined;
  #lastCause: HookError | undefined;
  #failedAt = 0;
  #startedAt = 0;
  #lastStderr = "";
  readonly #closing = new AbortController();
  /** Replaced by a reload, and still answering what they were asked. */
  readonly #retired = new Set<ExtensionProcess>();

  constructor(program: ProcessProgram, tuning: Tuning, tally: ExtensionTally) {
    this.#program = program;
    this.#tuning = tuning;
    this.#tally = tally;
    this.#restarts = createRestarts(tuning);
  }

  get state(): SourceState {
    return this.#state === "running" && this.#tally.isDegraded ? "degraded" : this.#state;
  }

  get restarts(): number {
    return this.#restarts.count;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** The process, if it can be asked at once. */
  get current(): ExtensionProcess | undefined {
    return this.#process?.isUsable === true ? this.#process : undefined;
  }

  stderr(): string {
    return this.#process?.stderr.text() ?? this.#lastStderr;
  }

  /** The process, as soon as there is one. Rejects with the cause when there is none to come. */
  async ready(): Promise<ExtensionProcess> {
    // One that is being ended is not gone yet; what comes after it begins when it is.
    while (this.#process !== undefined && !this.#process.isUsable) await this.#process.gone;
    if (this.#process !== undefined) return this.#process;
    if (this.#state === "stopped") throw this.#stopped();
    if (this.#coming !== undefined) return this.#coming;
    if (this.#state === "failed" && performance.now() - this.#failedAt < this.#tuning.retryAfterMs) throw this.#givenUp();
    return this.#begin(0);
  }

  async reload(program: ProcessProgram): Promise<void> {
    if (this.#state === "stopped") throw this.#stopped();
    if (this.#state === "loaded") {
      this.#program = program;
      return;
    }
    const next = await this.#spawn(program);
    if (this.#isStopped()) {
      await next.stop();
      throw this.#stopped();
    }
    const old = this.#process;
    this.#program = program;
    this.#restarts.forgive();
    this.#wait?.cancel();
    this.#adopt(next);
    if (old !== undefined) this.#retire(old);
  }

  async close(): Promise<void> {
    this.#state = "stopped";
    this.#closing.abort();
    this.#wait?.cancel();
    const coming = this.#coming?.then(
      (child) => child.stop(),
      () => {},
    );
    await Promise.all([this.#process?.stop(), coming, ...[...this.#retired].map((child) => child.stop())]);
    this.#process = undefined;
  }

  #begin(delayMs: number): Promise<ExtensionProcess> {
    const coming = this.#arrive(delayMs);
    this.#coming = coming;
    // Whoever waits hears of it; that nobody waits is no error.
    coming.catch(() => {});
    return coming;
  }

  async #arrive(delayMs: number): Promise<ExtensionProcess> {
    if (delayMs > 0) await this.#pause(delayMs);
    const instead = this.current;
    if (instead !== undefined) return instead;
    if (this.#isStopped()) throw this.#stopped();
    this.#state = this.#restarts.count > 0 ? "restarting" : "starting";
    try {
      const started = await this.#spawn(this.#program);
      if (this.#isStopped()) return started;
      if (this.current !== undefined) {
        this.#retire(started);
        return this.current;
      }
      this.#adopt(started);
      return started;
    } catch (error) {
      this.#coming = undefined;
      if (!this.#isStopped() && this.current === undefined) this.#goOn(asHookError(this.#program.name, error), 0);
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

  #retire(child: ExtensionProcess): void {
    this.#retired.add(child);
    void child.finish().finally(() => this.#retired.delete(child));
  }

  async #spawn(program: ProcessProgram): Promise<ExtensionProcess> {
    const { name, command, args, folder, framing, hooks } = program;
    const env = childEnvironment(process.env, program.env);
    const config = program.config?.(process.env) ?? {};
    const started: { child?: ExtensionProcess } = {};
    started.child = await ExtensionProcess.start({
      line: { name, command, args, folder, env },
      framing,
      initialize: { name, hooks, config },
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

  /** After an end, or a start that failed. */
  #goOn(cause: HookError, ranMs: number): void {
    this.#lastCause = cause;
    const delayMs = this.#restarts.next(ranMs);
    if (delayMs === undefined) {
      this.#state = "failed";
      this.#failedAt = performance.now();
      return;
    }
    this.#state = "restarting";
    this.#begin(delayMs);
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
    const note = `was given up after ${maxRestarts} restarts, and is tried again after ${Math.round(retryAfterMs / 1000)} s.`;
    const message = `Extension "${this.#program.name}" ${note} Last: ${cause?.message}`;
    return new HookErrorClass(cause?.code ?? "HL_EXTENSION_START", message, { owner: this.#program.name, failure: cause?.failure, cause });
  }
}

function asHookError(name: string, error: unknown): HookError {
  if (error instanceof HookErrorClass) return error;
  return extensionError(name, "HL_EXTENSION_START", `cannot be started: ${error instanceof Error ? error.message : String(error)}`, error);
}
