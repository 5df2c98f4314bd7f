import type { Socket } from "node:net";
import { HookError } from "../catalog/errors.js";
import type { SendResult } from "./connection.js";
import type { ConnectionTimers } from "./timers.js";

export interface WriteQueueOptions {
  readonly timers: ConnectionTimers;
  readonly stallTimeoutMs: number;
  readonly maxPendingBytes: number;
  /** The peer has read nothing for that time. */
  readonly onStall: () => void;
  /** Whether anything waits has changed. */
  readonly onBusy: (isBusy: boolean) => void;
}

interface Pending {
  data: Buffer;
  /** How much of it the kernel has, or is being given. */
  offset: number;
  settle(result: SendResult): void;
}

// Given in pieces, so that a slow peer can be told from one that reads nothing.
const PIECE_BYTES = 64 * 1024;
const SENT: SendResult = { status: "sent" };

/** Lines on their way into a socket, in order. Each is answered when the kernel has taken it. */
export class WriteQueue {
  readonly #options: WriteQueueOptions;
  readonly #pending: Pending[] = [];
  #bytes = 0;
  #socket: Socket | undefined;
  #cancelStall: (() => void) | undefined;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
  }

  get pendingBytes(): number {
    return this.#bytes;
  }

  /** `data` is whole lines, the last line end included. */
  add(data: Buffer, signal: AbortSignal | undefined): Promise<SendResult> {
    if (signal?.aborted === true) return Promise.resolve({ status: "retry", cause: signal.reason });
    if (this.#bytes > 0 && this.#bytes + data.length > this.#options.maxPendingBytes) return Promise.resolve(this.#full());
    return new Promise((resolve) => {
      const pending: Pending = { data, offset: 0, settle };
      const giveUp = (): void => this.#giveUp(pending, signal?.reason);
      function settle(result: SendResult): void {
        signal?.removeEventListener("abort", giveUp);
        resolve(result);
      }
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#pending.push(pending);
      this.#count(data.length);
      this.#pump();
    });
  }

  /** A connection stands: what waits goes there. */
  start(socket: Socket): void {
    this.#socket = socket;
    this.#pump();
  }

  /** The connection is gone. A half-written line is not continued on the next one; who sent it must send it again. */
  stop(cause: unknown): void {
    this.#socket = undefined;
    this.#cancelStall?.();
    this.#cancelStall = undefined;
    const lost = this.#pending.splice(0);
    this.#count(-this.#bytes);
    for (const { settle } of lost) settle({ status: "retry", cause });
  }

  #pump(): void {
    const [head] = this.#pending;
    const socket = this.#socket;
    if (head === undefined || socket === undefined || this.#cancelStall !== undefined) return;
    const piece = head.data.subarray(head.offset, head.offset + PIECE_BYTES);
    head.offset += piece.length;
    this.#cancelStall = this.#options.timers.after(this.#options.stallTimeoutMs, this.#options.onStall);
    socket.write(piece, (error) => {
      // An error also ends the connection, and that is where it is dealt with.
      if (socket === this.#socket && !error) this.#taken(head, piece.length);
    });
  }

  #taken(head: Pending, length: number): void {
    this.#cancelStall?.();
    this.#cancelStall = undefined;
    if (head.offset >= head.data.length) {
      this.#pending.shift();
      head.settle(SENT);
    }
    this.#count(-length);
    this.#pump();
  }

  /** A line that has begun must end, or the peer would read the next one as part of it. */
  #giveUp(pending: Pending, cause: unknown): void {
    pending.settle({ status: "retry", cause });
    const { data, offset } = pending;
    const end = offset === 0 || data[offset - 1] === 10 ? offset : data.indexOf(10, offset) + 1;
    pending.data = data.subarray(0, end);
    if (end === 0) this.#pending.splice(this.#pending.indexOf(pending), 1);
    this.#count(end - data.length);
  }

  #count(change: number): void {
    const wasBusy = this.#bytes > 0;
    this.#bytes += change;
    if (wasBusy !== this.#bytes > 0) this.#options.onBusy(this.#bytes > 0);
  }

  #full(): SendResult {
    const cause = new HookError("HL_LIMIT", `More than ${this.#options.maxPendingBytes} bytes wait for a peer that reads too slowly.`, {
      failure: "overloaded",
    });
    return { status: "retry", cause };
  }
}
