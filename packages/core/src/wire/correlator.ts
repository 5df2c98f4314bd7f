import { HookError } from "../catalog/errors.js";
import { type ConnectionTimers, systemTimers } from "./timers.js";

/** A request that waits for its answer. Callers add what they need to know when the answer comes. */
export interface Request {
  readonly id: string | number;
  /** Without it, or with 0, the request waits without a limit. */
  readonly timeoutMs?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/** Why an answer is ignored. `late`: its request was given up. `duplicate`: it was answered. `unsolicited`: there was no such request. */
export type IgnoredAnswer = "late" | "duplicate" | "unsolicited";

export interface CorrelatorOptions<R extends Request> {
  /** The error of a request whose time is up. */
  readonly expired?: (request: R) => Error;
  /** The error of a request whose signal was aborted. */
  readonly cancelled?: (request: R, reason: unknown) => unknown;
  /** More requests fail at once. */
  readonly maxInFlight?: number;
  readonly overloaded?: (inFlight: number) => Error;
  readonly timers?: ConnectionTimers;
}

interface Pending<R, A> {
  readonly request: R;
  /** Infinite where it waits without a limit. */
  readonly deadline: number;
  readonly abort: (() => void) | undefined;
  resolve(answer: A): void;
  reject(error: unknown): void;
}

/** So many requests that are over are remembered, to tell a late or second answer from an unsolicited one. */
const MAX_PAST = 1_024;
// Node runs a timer of more than 2^31 - 1 ms at once.
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * Pairs requests with their answers by id. Any number may be under way, and each is settled once: by its answer, its deadline, its signal
 * or the end of the connection. Late, duplicate and unsolicited answers are ignored and counted.
 */
export class Correlator<R extends Request, A> {
  readonly counters = { asked: 0, answered: 0, failed: 0, late: 0, duplicate: 0, unsolicited: 0 };
  readonly #options: CorrelatorOptions<R>;
  readonly #timers: ConnectionTimers;
  readonly #maxInFlight: number;
  readonly #pending = new Map<unknown, Pending<R, A>>();
  readonly #past = new Map<unknown, "answered" | "given up">();
  #wakesAt = Number.POSITIVE_INFINITY;
  #cancelWake = (): void => {};

  constructor(options: CorrelatorOptions<R> = {}) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#maxInFlight = options.maxInFlight ?? Number.POSITIVE_INFINITY;
  }

  /** How many requests wait for their answer. */
  get size(): number {
    return this.#pending.size;
  }

  /** The requests that wait, the oldest first. */
  *requests(): Iterable<R> {
    for (const { request } of this.#pending.values()) yield request;
  }

  /** The request with this id, if it still waits. */
  find(id: unknown): R | undefined {
    return this.#pending.get(id)?.request;
  }

  /** Sends a request and waits for its answer. What `send` throws fails the request. */
  ask(request: R, send: (request: R) => void): Promise<A> {
    this.counters.asked++;
    if (this.#pending.size >= this.#maxInFlight) return this.#refuse();
    return new Promise((resolve, reject) => {
      const { id, timeoutMs = 0, signal } = request;
      const deadline = timeoutMs > 0 ? this.#timers.now() + timeoutMs : Number.POSITIVE_INFINITY;
      const abort = signal === undefined ? undefined : (): void => this.#giveUp(id, this.#cancelled(request));
      this.#pending.set(id, { request, deadline, abort, resolve, reject });
      if (signal?.aborted === true) return abort?.();
      if (abort !== undefined) signal?.addEventListener("abort", abort, { once: true });
      // One timer for all requests: one for each would cost more than the rest of the request.
      if (deadline < this.#wakesAt) this.#wakeAt(deadline);
      try {
        send(request);
      } catch (error) {
        this.fail(id, error);
      }
    });
  }

  /** Settles the request with this id. Where none waits, gives why the answer is ignored. */
  answer(id: unknown, answer: A): "answered" | IgnoredAnswer {
    const pending = this.#end(id, "answered");
    if (pending === undefined) return this.ignore(id);
    this.counters.answered++;
    pending.resolve(answer);
    return "answered";
  }

  /** Fails the request with this id: it could not be sent, or its answer is of no use. False where none waits. */
  fail(id: unknown, error: unknown): boolean {
    const pending = this.#end(id, "answered");
    if (pending === undefined) return false;
    this.counters.failed++;
    pending.reject(error);
    return true;
  }

  /** Counts an answer that no request waits for, and gives why. */
  ignore(id: unknown): IgnoredAnswer {
    const past = this.#past.get(id);
    const kind = past === undefined ? "unsolicited" : past === "answered" ? "duplicate" : "late";
    // The next answer to the same request is a second one.
    if (kind === "late") this.#past.set(id, "answered");
    this.counters[kind]++;
    return kind;
  }

  /** The connection is closed or lost: fails every request that waits. */
  failAll(errorOf: (request: R) => unknown): void {
    for (const [id, { request }] of [...this.#pending]) this.#giveUp(id, errorOf(request));
    this.#cancelWake();
    this.#wakesAt = Number.POSITIVE_INFINITY;
  }

  #refuse(): Promise<never> {
    this.counters.failed++;
    const { size } = this.#pending;
    const error =
      this.#options.overloaded?.(size) ?? new HookError("HL_LIMIT", `${size} requests wait for their answer.`, { failure: "overloaded" });
    return Promise.reject(error);
  }

  #giveUp(id: unknown, error: unknown): void {
    const pending = this.#end(id, "given up");
    if (pending === undefined) return;
    this.counters.failed++;
    pending.reject(error);
  }

  #end(id: unknown, how: "answered" | "given up"): Pending<R, A> | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    this.#past.set(id, how);
    if (this.#past.size > MAX_PAST) this.#past.delete(this.#past.keys().next().value);
    if (pending.abort !== undefined) pending.request.signal?.removeEventListener("abort", pending.abort);
    return pending;
  }

  #wakeAt(deadline: number): void {
    this.#cancelWake();
    this.#wakesAt = deadline;
    const delayMs = Math.min(Math.max(1, Math.ceil(deadline - this.#timers.now())), MAX_DELAY_MS);
    this.#cancelWake = this.#timers.after(delayMs, () => this.#sweep());
  }

  #sweep(): void {
    const now = this.#timers.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [id, { request, deadline }] of this.#pending)
      if (deadline <= now) this.#giveUp(id, this.#expired(request));
      else next = Math.min(next, deadline);
    this.#wakesAt = Number.POSITIVE_INFINITY;
    if (next !== Number.POSITIVE_INFINITY) this.#wakeAt(next);
  }

  #expired(request: R): Error {
    const { expired } = this.#options;
    if (expired !== undefined) return expired(request);
    return new HookError("HL_TIMEOUT", `No answer came within ${request.timeoutMs} ms.`, { failure: "timeout" });
  }

  #cancelled(request: R): unknown {
    const cause: unknown = request.signal?.reason;
    const { cancelled } = this.#options;
    if (cancelled !== undefined) return cancelled(request, cause);
    return new HookError("HL_CANCELLED", "The request was cancelled.", { failure: "cancelled", cause });
  }
}
