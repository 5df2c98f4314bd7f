import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { HookError } from "@hookline/core";
import {
  Correlator,
  type FrameFault,
  type Framing,
  MAX_EVENT_FRAME_BYTES,
  EXTENSION_PROTOCOL_VERSION as PROTOCOL_VERSION,
} from "@hookline/core/internal/wire";
import type { CommandLine } from "./command-line.js";
import { type ExtensionCode, extensionError } from "./failures.js";
import { FrameChannel } from "./frame-channel.js";
import { createOutputTail, type OutputTail } from "./output-tail.js";
import { readMessage } from "./read-message.js";
import { type Child, spawnChild } from "./spawn-child.js";
import type { ExtensionTally } from "./tally.js";
import type { Tuning } from "./tuning.js";

export interface ProcessOptions {
  readonly line: CommandLine;
  readonly framing: Framing | undefined;
  readonly initialize: object;
  /** Called when it has answered `initialize`; what it throws ends the process. */
  readonly afterStart?: () => void;
  readonly tuning: Tuning;
  readonly tally: ExtensionTally;
  /** Ends it at once, while it is starting. */
  readonly signal: AbortSignal;
  readonly onEnd: (cause: HookError) => void;
}

const METHOD_NOT_FOUND = -32601;

/** What a process is asked, and for how long it may take. */
export interface Asked {
  /** In words, for messages. */
  readonly what: string;
  /** 0 means no limit. */
  readonly timeoutMs: number;
  /** The limit that messages name, where what is left of it is less. */
  readonly limitMs?: number;
}

interface ProcessRequest extends Required<Asked> {
  readonly id: number;
  /** The number of unreadable frames before it was sent. */
  readonly faultsBefore: number;
}

/** One run of an extension's process, from its spawn to its end. */
export class ExtensionProcess {
  readonly #options: ProcessOptions;
  readonly #child: Child;
  readonly #requests: Correlator<ProcessRequest, unknown>;
  readonly #channel: FrameChannel;
  readonly stderr: OutputTail;
  /** Starts at a random number: text that is printed among the answers, such as a command of the agent, cannot answer a request. */
  #lastId = randomInt(2 ** 47);
  #faultsInRow = 0;
  #silentTimeouts = 0;
  #isEnding = false;
  /** Why Hookline ended it. */
  #verdict: { readonly code: ExtensionCode; readonly what: string } | undefined;

  /** Spawns the process and waits for its answer to `initialize`. Rejects with the cause if that fails. */
  static async start(options: ProcessOptions): Promise<ExtensionProcess> {
    const started = new ExtensionProcess(options, await spawnChild(options.line));
    const abandon = () => started.#child.signal("SIGKILL");
    options.signal.addEventListener("abort", abandon);
    try {
      await started.#initialize();
      options.afterStart?.();
      options.signal.removeEventListener("abort", abandon);
      return started;
    } catch (error) {
      options.signal.removeEventListener("abort", abandon);
      started.#isEnding = true;
      started.#child.signal("SIGKILL");
      await started.#child.ended;
      throw error;
    }
  }

  private constructor(options: ProcessOptions, child: Child) {
    this.#options = options;
    this.#child = child;
    this.stderr = createOutputTail(options.tuning.stderrBytes);
    this.#requests = new Correlator({
      maxInFlight: options.tuning.maxInFlight,
      overloaded: () => this.#overloaded(),
      expired: (request) => this.#expired(request),
    });
    this.#channel = new FrameChannel(child, {
      framing: options.framing,
      maxBytes: options.tuning.maxFrameBytes,
      onFrame: (text) => this.#read(text),
      onFault: (fault) => this.#fault(fault),
    });
    child.stderr.on("data", (chunk: Buffer) => {
      this.stderr.push(chunk);
      options.tally.stderrBytes += chunk.length;
    });
    void child.ended.then((how) => this.#ended(how));
  }

  get pid(): number {
    return this.#child.pid;
  }

  get isUsable(): boolean {
    return !this.#isEnding;
  }

  /** Sends a request; `params` is JSON. Many requests may be in progress, and answers arrive in any order. */
  request(method: string, params: string, { what, timeoutMs, limitMs = timeoutMs }: Asked): Promise<unknown> {
    const { line, tuning, tally } = this.#options;
    if (this.#isEnding) return Promise.reject(extensionError(line.name, "HL_EXTENSION_CRASHED", "is being ended."));
    if (this.#channel.queuedBytes > tuning.maxQueuedBytes) return Promise.reject(this.#overloaded());
    // A UTF-16 code unit takes at most three bytes, so short texts need not be counted.
    if (params.length * 3 > MAX_EVENT_FRAME_BYTES && Buffer.byteLength(params) > MAX_EVENT_FRAME_BYTES - 1024)
      return Promise.reject(extensionError(line.name, "HL_FRAME_TOO_LARGE", `cannot be asked about ${what}: it is too large for a frame.`));
    const request = { id: ++this.#lastId, what, timeoutMs, limitMs, faultsBefore: tally.malformed };
    return this.#requests.ask(request, ({ id }) =>
      this.#channel.send(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`),
    );
  }

  /** Resolves when the process has ended. */
  get gone(): Promise<unknown> {
    return this.#child.ended;
  }

  /** Sends `shutdown`, then SIGTERM and finally SIGKILL to its whole group. */
  async stop(): Promise<void> {
    const { shutdownTimeoutMs, killAfterMs } = this.#options.tuning;
    if (!this.#isEnding) {
      const asked = this.request("shutdown", "{}", { what: "shutdown", timeoutMs: shutdownTimeoutMs });
      this.#isEnding = true;
      this.#verdict = { code: "HL_EXTENSION_STOPPED", what: "has been stopped." };
      asked.catch(() => {}).finally(() => this.#channel.closeInput());
    }
    if (await this.#endsWithin(shutdownTimeoutMs)) return;
    this.#child.signal("SIGTERM");
    if (await this.#endsWithin(killAfterMs)) return;
    this.#child.signal("SIGKILL");
    await this.#child.ended;
  }

  async #initialize(): Promise<void> {
    const { line, initialize, tuning } = this.#options;
    const params = JSON.stringify({ protocolVersion: PROTOCOL_VERSION, ...initialize });
    const result = await this.request("initialize", params, { what: "initialize", timeoutMs: tuning.startTimeoutMs }).catch(
      (error: unknown) => {
        throw startFailure(line.name, error, this.stderr);
      },
    );
    const version = (result as { protocolVersion?: unknown } | null)?.protocolVersion;
    if (version === PROTOCOL_VERSION) return;
    const what = `speaks version ${JSON.stringify(version) ?? "?"} of the protocol, and we speak ${PROTOCOL_VERSION}.`;
    throw extensionError(line.name, "HL_EXTENSION_PROTOCOL", what);
  }

  #read(text: string): void {
    const message = readMessage(text);
    if (message === undefined) return this.#fault("not_a_frame");
    this.#silentTimeouts = 0;
    if (message.type === "notice") return;
    if (message.type === "request") return this.#refuse(message.id, message.method);
    const { id, result, failure } = message;
    if (this.#requests.find(id) === undefined) return this.#ignore(id);
    this.#faultsInRow = 0;
    if (failure === undefined) this.#requests.answer(id, result);
    else this.#requests.fail(id, extensionError(this.#options.line.name, failure.code, failure.what));
  }

  #ignore(id: unknown): void {
    this.#options.tally.ignored(this.#requests.ignore(id));
    this.#countFault();
  }

  /** The host has no methods that an extension could call. */
  #refuse(id: unknown, method: string): void {
    if (typeof id !== "number" && typeof id !== "string") return this.#fault("not_a_frame");
    const error = { code: METHOD_NOT_FOUND, message: `The host has no method "${method.slice(0, 100)}".` };
    this.#channel.send(JSON.stringify({ jsonrpc: "2.0", id, error }));
    this.#countFault();
  }

  #fault(fault: FrameFault): void {
    this.#options.tally.malformedFrame();
    if (fault === "bad_header") this.#end("HL_EXTENSION_PROTOCOL", "sent a malformed header, and nothing after it can be read.");
    else this.#countFault();
  }

  #countFault(): void {
    const { maxFaultsInRow } = this.#options.tuning;
    if (++this.#faultsInRow >= maxFaultsInRow)
      this.#end("HL_EXTENSION_PROTOCOL", `sent ${this.#faultsInRow} frames in a row that answer no request, and was ended.`);
  }

  #overloaded(): HookError {
    return extensionError(this.#options.line.name, "HL_EXTENSION_OVERLOADED", `has ${this.#requests.size} requests to answer already.`);
  }

  #expired({ id, what, limitMs, faultsBefore }: ProcessRequest): HookError {
    this.#channel.send(`{"jsonrpc":"2.0","method":"cancel","params":{"id":${id}}}`);
    const { maxSilentTimeouts } = this.#options.tuning;
    if (++this.#silentTimeouts >= maxSilentTimeouts)
      this.#end("HL_TIMEOUT", `let ${this.#silentTimeouts} requests in a row time out without a sign of life, and was ended.`);
    const { line, tally } = this.#options;
    const bad = tally.malformed - faultsBefore;
    if (bad === 0) return extensionError(line.name, "HL_TIMEOUT", `did not answer ${what} within ${limitMs} ms.`);
    // The process may have answered in one of the unreadable frames.
    return extensionError(line.name, "HL_EXTENSION_PROTOCOL", `gave no readable answer to ${what}; ${bad} of its frames were malformed.`);
  }

  #end(code: ExtensionCode, what: string): void {
    if (this.#verdict !== undefined || this.#isEnding) return;
    this.#verdict = { code, what };
    this.#isEnding = true;
    this.#child.signal("SIGKILL");
  }

  #ended(how: string): void {
    this.#channel.ended();
    this.#isEnding = true;
    const { code, what } = this.#verdict ?? { code: "HL_EXTENSION_CRASHED" as const, what: `${how}.${lastWords(this.stderr)}` };
    this.#requests.failAll(() => extensionError(this.#options.line.name, code, what));
    this.#options.onEnd(extensionError(this.#options.line.name, code, what));
  }

  async #endsWithin(ms: number): Promise<boolean> {
    const timer = new AbortController();
    const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
    const isOver = await Promise.race([this.#child.ended.then(() => true), late]);
    timer.abort();
    return isOver;
  }
}

/** A process that ends before it is ready has not crashed during a request. */
function startFailure(name: string, error: unknown, stderr: OutputTail): unknown {
  if (!(error instanceof HookError)) return error;
  if (error.failure === "crash") return extensionError(name, "HL_EXTENSION_START", `did not start: ${withoutName(name, error)}`, error);
  if (error.failure !== "timeout") return error;
  return extensionError(name, "HL_EXTENSION_START", `did not start: ${error.message}${lastWords(stderr)}`, error);
}

/** What the program itself said about its failure, without a second `Extension "guard" failed:`. */
function withoutName(name: string, { message }: HookError): string {
  const prefix = `Extension "${name}" failed: `;
  return message.startsWith(prefix) ? message.slice(prefix.length) : message;
}

const MAX_WORDS = 400;

/** The cause is at the start of the error output, not at the end of the stack. */
function lastWords(stderr: OutputTail): string {
  const lines = stderr.text().trim().split("\n");
  const error = lines.findLastIndex((line) => /^\s*(\w*(Error|Exception)\b|fatal|panic)/i.test(line));
  const telling = error < 0 ? lines.slice(-5) : lines.slice(error, error + 3);
  const words = telling.join("\n").trim().slice(0, MAX_WORDS).replaceAll(/\s+/g, " ");
  return words === "" ? "" : ` Its last words: ${words}`;
}
