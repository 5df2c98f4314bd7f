import type { RunToolOptions } from "./run-tool.js";

/** How much is read of streams, bodies and promises in one result, and for how long. */
export type ReadLimits = Pick<RunToolOptions, "maxStreamBytes" | "streamTimeoutMs">;

/** What a piece counts at least, so that a stream of empty pieces ends, too. */
const MIN_PIECE_BYTES = 16;
const MAX_BYTES = 8 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
// Beyond it Node's timers fire at once.
const MAX_TIMER_MS = 2 ** 31 - 1;

interface Pieces {
  next(): unknown;
  /** Tells the source that no more pieces are read. */
  stop(): unknown;
}

/** Reads what a value gives only once: streams, bodies and promises, all within one limit. Close it when done. */
export class StreamReader {
  readonly #maxBytes: number;
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #endsAt: number;
  #timer: unknown;
  #read = 0;
  #fault: { readonly error: unknown } | undefined;
  #giveUp: (error: unknown) => void = () => {};

  constructor({ maxStreamBytes = MAX_BYTES, streamTimeoutMs = TIMEOUT_MS }: ReadLimits = {}, signal?: AbortSignal) {
    this.#maxBytes = maxStreamBytes;
    this.#timeoutMs = streamTimeoutMs;
    this.#signal = signal;
    const isLimited = streamTimeoutMs > 0 && streamTimeoutMs <= MAX_TIMER_MS;
    this.#endsAt = isLimited ? performance.now() + streamTimeoutMs : Number.POSITIVE_INFINITY;
    if (isLimited) this.#timer = setTimeout(this.#late, streamTimeoutMs);
    signal?.addEventListener("abort", this.#aborted, { once: true });
    if (signal?.aborted === true) this.#aborted();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#aborted);
  }

  /** All text as one text, bytes, also with text among them, as one array of bytes, and anything else as a list. */
  async collect(source: object): Promise<unknown> {
    return joined(await this.#drain(piecesOf(source)));
  }

  /** A body as text where it is text, else as bytes. */
  async body(owner: BodyOwner): Promise<unknown> {
    const { body } = owner;
    if (body === null || body === undefined) return textOrBytes(new Uint8Array(await this.wait(owner.arrayBuffer())));
    const read = await this.collect(body);
    return read instanceof Uint8Array ? textOrBytes(read) : Array.isArray(read) && read.length === 0 ? "" : read;
  }

  /** What a promise gives, within the limit. */
  wait<T>(promise: PromiseLike<T>): Promise<T> {
    if (this.#fault !== undefined) {
      ignoreFailure(promise);
      return Promise.reject(this.#fault.error);
    }
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      Promise.resolve(promise).then(resolve, reject);
    });
  }

  async #drain(source: Pieces): Promise<unknown[]> {
    const pieces: unknown[] = [];
    try {
      for (;;) {
        const next = source.next();
        const { done, value } = (isThenable(next) ? await this.wait(next) : next) as IteratorResult<unknown>;
        if (done === true) return pieces;
        this.#spend(sizeOf(value));
        pieces.push(value);
      }
    } catch (error) {
      quietlyStop(source);
      throw error;
    }
  }

  #spend(bytes: number): void {
    this.#read += Math.max(bytes, MIN_PIECE_BYTES);
    if (this.#read > this.#maxBytes) throw new TooLong(`gives more than ${this.#maxBytes} bytes`);
    // No timer fires while an iterator gives its pieces without a pause.
    if (performance.now() > this.#endsAt) throw this.#tooLate();
    if (this.#fault !== undefined) throw this.#fault.error;
  }

  #late = (): void => this.#end(this.#tooLate());
  #aborted = (): void => this.#end(this.#signal?.reason);

  #end(error: unknown): void {
    this.#fault ??= { error };
    this.#giveUp(error);
  }

  #tooLate(): TooLong {
    return new TooLong(`has not ended within ${this.#timeoutMs} ms`);
  }
}

/** A `Response`, a `Request` or a `Blob`, from whichever library. */
export interface BodyOwner {
  readonly body?: object | null;
  arrayBuffer(): PromiseLike<ArrayBuffer>;
}

/** Thrown where a stream goes beyond the limits; `how` completes "a stream that …". */
export class TooLong {
  readonly how: string;

  constructor(how: string) {
    this.how = how;
  }
}

function piecesOf(source: object): Pieces {
  const { getReader } = source as { getReader?: unknown };
  if (typeof getReader === "function") {
    const reader = getReader.call(source) as { read(): unknown; cancel(): unknown };
    return { next: () => reader.read(), stop: () => reader.cancel() };
  }
  const { [Symbol.asyncIterator]: inTime, [Symbol.iterator]: atOnce } = source as { readonly [key: symbol]: unknown };
  const open = typeof inTime === "function" ? inTime : atOnce;
  const iterator = (typeof open === "function" ? open.call(source) : source) as { next(): unknown; return?(): unknown };
  return { next: () => iterator.next(), stop: () => iterator.return?.() };
}

function quietlyStop(source: Pieces): void {
  try {
    const stopped = source.stop();
    if (isThenable(stopped)) ignoreFailure(stopped);
  } catch {
    // It is over either way.
  }
}

function joined(pieces: readonly unknown[]): unknown {
  if (pieces.length === 0) return pieces;
  if (pieces.every((piece) => typeof piece === "string")) return pieces.join("");
  if (!pieces.every((piece) => typeof piece === "string" || ArrayBuffer.isView(piece))) return pieces;
  const parts = pieces.map((piece) => (typeof piece === "string" ? new TextEncoder().encode(piece) : piece));
  const bytes = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of parts) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return bytes;
}

export function textOrBytes(bytes: Uint8Array): string | Uint8Array {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes;
  }
}

/** Roughly: text, bytes, and the text in objects a few levels down. */
function sizeOf(piece: unknown, depth = 4): number {
  if (typeof piece === "string") return piece.length;
  if (typeof piece !== "object" || piece === null) return MIN_PIECE_BYTES;
  if (ArrayBuffer.isView(piece) || piece instanceof ArrayBuffer) return piece.byteLength;
  if (depth === 0) return MIN_PIECE_BYTES;
  return Object.values(piece).reduce((sum: number, member) => sum + MIN_PIECE_BYTES + sizeOf(member, depth - 1), 0);
}

/** For a promise that is not awaited: its rejection must not end the process. */
export function ignoreFailure(promise: PromiseLike<unknown>): void {
  Promise.resolve(promise).catch(() => {});
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** Whether a value gives its content once, bit by bit: an async iterable, a `ReadableStream`, an iterator or a `Response`. */
export function isStream(value: object): boolean {
  try {
    const { getReader, next } = value as { readonly [key: string]: unknown };
    const isIterator = typeof next === "function" && Symbol.iterator in value;
    return isIterator || Symbol.asyncIterator in value || typeof getReader === "function" || isResponse(value);
  } catch {
    // A getter or a proxy that throws.
    return false;
  }
}

/** Of any library: each gives its responses this name. */
export function isResponse(value: object): boolean {
  return Object.prototype.toString.call(value) === "[object Response]";
}
