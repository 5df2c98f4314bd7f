import { type ExtensionCode, extensionError } from "./failures.js";

export interface RequestFailure {
  readonly code: ExtensionCode;
  readonly what: string;
}

interface Pending {
  readonly what: string;
  readonly limitMs: number;
  /** Infinite where it waits for ever. */
  readonly deadline: number;
  readonly faultsBefore: number;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Why a frame answers nothing. */
export type StrayKind = "late" | "duplicate" | "foreign";

export interface RequestsOptions {
  readonly name: string;
  /** How many frames could not be read so far. */
  readonly faults: () => number;
  readonly onExpired: (id: number) => void;
}

/** So many are remembered to tell a late answer from a second one. */
const MAX_EXPIRED = 1024;

/** What a process is asked, and for how long it may take. */
export interface Asked {
  /** In words, for messages. */
  readonly what: string;
  /** 0 waits for ever. */
  readonly timeoutMs: number;
  /** The limit that messages name, where what is left of it is less. */
  readonly limitMs?: number;
}

/** The requests of one process that wait for their answer, and their deadlines. */
export class Requests {
  readonly #options: RequestsOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #expired = new Set<number>();
  #lastId = 0;
  #timer: NodeJS.Timeout | undefined;
  #wakesAt = Number.POSITIVE_INFINITY;
  #onSettled: (() => void) | undefined;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** `send` gets the id. */
  open({ what, timeoutMs, limitMs = timeoutMs }: Asked, send: (id: number) => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      const deadline = timeoutMs > 0 ? performance.now() + timeoutMs : Number.POSITIVE_INFINITY;
      this.#pending.set(id, { what, limitMs, deadline, faultsBefore: this.#options.faults(), resolve, reject });
      // One timer for all: a timer for each would cost more than the rest of the request.
      if (deadline < this.#wakesAt) this.#wakeAt(deadline);
      send(id);
    });
  }

  /** True when the answer was waited for. */
  settle(id: number, result: unknown, failure?: RequestFailure): boolean {
    const pending = this.#pending.get(id);
    if (pending === undefined) return false;
    this.#forget(id);
    if (failure === undefined) pending.resolve(result);
    else pending.reject(extensionError(this.#options.name, failure.code, failure.what));
    return true;
  }

  /** What an answer is that nobody waits for. */
  stray(id: unknown): StrayKind {
    if (typeof id !== "number" || !Number.isInteger(id) || id < 1 || id > this.#lastId) return "foreign";
    return this.#expired.delete(id) ? "late" : "duplicate";
  }

  /** Resolves when nobody waits any more. */
  settled(): Promise<void> {
    if (this.#pending.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onSettled = resolve;
    });
  }

  failAll(code: ExtensionCode, what: string): void {
    clearTimeout(this.#timer);
    this.#wakesAt = Number.POSITIVE_INFINITY;
    const open = [...this.#pending.values()];
    this.#pending.clear();
    this.#onSettled?.();
    for (const { reject } of open) reject(extensionError(this.#options.name, code, what));
  }

  #forget(id: number): void {
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#onSettled?.();
  }

  #wakeAt(deadline: number): void {
    clearTimeout(this.#timer);
    this.#wakesAt = deadline;
    this.#timer = setTimeout(() => this.#sweep(), Math.max(1, Math.min(deadline - performance.now() + 1, 2 ** 31 - 1)));
    this.#timer.unref();
  }

  #sweep(): void {
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [id, pending] of this.#pending)
      if (pending.deadline <= now) this.#expire(id, pending);
      else next = Math.min(next, pending.deadline);
    this.#wakesAt = Number.POSITIVE_INFINITY;
    if (next !== Number.POSITIVE_INFINITY) this.#wakeAt(next);
  }

  #expire(id: number, { what, limitMs, faultsBefore, reject }: Pending): void {
    this.#forget(id);
    if (this.#expired.size >= MAX_EXPIRED) this.#expired.clear();
    this.#expired.add(id);
    const { name, faults, onExpired } = this.#options;
    const bad = faults() - faultsBefore;
    // Silence beside frames that nobody could read is no slowness.
    if (bad > 0)
      reject(extensionError(name, "HL_EXTENSION_PROTOCOL", `gave no readable answer to ${what}; ${bad} of its frames were malformed.`));
    else reject(extensionError(name, "HL_TIMEOUT", `did not answer ${what} within ${limitMs} ms.`));
    onExpired(id);
  }
}
