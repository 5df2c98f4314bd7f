import { Fifo } from "../wire/fifo.js";
import type { Backlog, BacklogLimits } from "./backlog.js";
import type { ForwardDropReason } from "./hub-connection.js";
import type { HubLink } from "./hub-link.js";
import type { Ledger } from "./ledger.js";
import type { LineWriter } from "./line-writer.js";
import type { Outgoing } from "./outgoing.js";

export interface DeliveryOptions {
  readonly backlog: Backlog;
  readonly limits: BacklogLimits;
  readonly ledger: Ledger;
  readonly writeLine: LineWriter;
  /** Something was acknowledged. */
  readonly onProgress: () => void;
  /** Something was settled, in whatever way. */
  readonly onSettled: () => void;
}

/** On its way and not acknowledged, at most: a hub that stands still costs no more. */
const WINDOW_COUNT = 4_096;
const WINDOW_BYTES = 4 * 1024 * 1024;
/** How long the first of a batch waits for company. */
const GATHER_MS = 2;
/** One write, and what one turn of the event loop may send. */
const CHUNK_CHARS = 64 * 1024;
const TURN_COUNT = 1_024;

/** Sends what waits over the link there is, and settles what the hub acknowledges. */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #unacked = new Fifo<Outgoing>();
  readonly #maxCount: number;
  #link: HubLink | undefined;
  /** Lines of this link that are settled. */
  #settled = 0;
  /** When the hub last took something, or last began to owe an answer. */
  #movedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;
  #isBlocked = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    // Half of a small queue: what is on its way cannot make room for others.
    this.#maxCount = Math.max(1, Math.min(WINDOW_COUNT, Math.floor(options.limits.maxCount / 2)));
  }

  /** The number of the oldest event that is not settled; infinite when all are. */
  get firstOrder(): number {
    return this.#unacked.first?.order ?? this.#options.backlog.firstOrder;
  }

  /** How long the hub has owed an acknowledgement without giving any. */
  get silentMs(): number {
    return this.#unacked.size === 0 ? 0 : performance.now() - this.#movedAt;
  }

  attach(link: HubLink): void {
    this.#link = link;
    this.#settled = 0;
    this.#isBlocked = false;
    link.onDrain(() => {
      if (link !== this.#link) return;
      this.#isBlocked = false;
      this.#pump();
    });
    this.#pump();
  }

  /** The link is lost: what it was given is sent again over the next one, before anything newer. */
  detach(): void {
    this.#link = undefined;
    const items = this.#unacked.drain();
    // A refused one would not be taken the second time either.
    const refused = items.filter(({ isRefused }) => isRefused);
    this.#options.backlog.putBack(items.filter(({ isRefused }) => !isRefused));
    for (const item of refused) this.#drop(item, "refused");
  }

  /**
   * There is something to send, in a moment: what comes until then goes with it, and the hub commits it together. And a caller that asks the hub
   * one question after the other does not wait for the event of the question before.
   */
  wake(): void {
    if (this.#timer !== undefined || this.#isBlocked || this.#link === undefined) return;
    this.#timer = setTimeout(() => this.#pump(), GATHER_MS).unref();
  }

  /** As `wake`, without the moment. */
  #wakeNow(): void {
    if (this.#turn !== undefined) return;
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      this.#pump();
    });
  }

  acknowledge(n: unknown): void {
    if (!Number.isSafeInteger(n)) return;
    const { backlog, ledger, onProgress, onSettled } = this.#options;
    const before = this.#settled;
    while (this.#settled < (n as number) && this.#unacked.size > 0) {
      const item = this.#unacked.shift() as Outgoing;
      this.#settled++;
      backlog.settle(item);
      if (item.isRefused) ledger.drop("refused");
      else ledger.acked++;
    }
    if (this.#settled === before) return;
    this.#movedAt = performance.now();
    onProgress();
    onSettled();
    this.#pump();
  }

  refuse(n: unknown): void {
    if (!Number.isSafeInteger(n)) return;
    const item = this.#unacked.at((n as number) - this.#settled - 1);
    if (item !== undefined) item.isRefused = true;
  }

  #pump(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (let sent = 0; sent < TURN_COUNT && this.#canSend(); ) {
      const count = this.#sendChunk();
      if (count === 0) return;
      sent += count;
    }
    if (this.#canSend()) this.#wakeNow();
  }

  #canSend(): boolean {
    return this.#link !== undefined && !this.#isBlocked && this.#unacked.size < this.#maxCount && this.#unacked.bytes < WINDOW_BYTES;
  }

  #sendChunk(): number {
    const link = this.#link as HubLink;
    if (this.#unacked.size === 0) this.#movedAt = performance.now();
    let text = "";
    let count = 0;
    while (text.length < CHUNK_CHARS && this.#canSend()) {
      const item = this.#options.backlog.next();
      if (item === undefined) break;
      const line = this.#lineFor(item, link.file.instance);
      if (line === undefined) continue;
      this.#unacked.push(item);
      text += `${line}\n`;
      count++;
    }
    if (text !== "") this.#isBlocked = !link.write(text);
    return count;
  }

  #lineFor(item: Outgoing, hub: string): string | undefined {
    // Of an event that began in this process, the line need not be searched.
    const isOwn = item.taken !== undefined && item.taken.hops === undefined;
    const line = this.#options.writeLine(item);
    if (line !== undefined && (isOwn || !hasPassed(line, hub))) return line;
    this.#drop(item, line === undefined ? "oversize" : "loop");
    return undefined;
  }

  #drop(item: Outgoing, reason: ForwardDropReason): void {
    const { backlog, ledger, onSettled } = this.#options;
    backlog.settle(item);
    ledger.drop(reason);
    onSettled();
  }
}

// The hops stand at the end of a line, whatever its payload holds.
function hasPassed(line: string, hub: string): boolean {
  return line.includes(`"${hub}"`, line.lastIndexOf('"hops":'));
}

interface Waiter {
  readonly order: number;
  resolve(isSettled: boolean): void;
}

/** Calls of `flush`, which wait until all events up to a number are settled. */
export class Settlements {
  readonly #firstOrder: () => number;
  readonly #waiters = new Set<Waiter>();

  constructor(firstOrder: () => number) {
    this.#firstOrder = firstOrder;
  }

  /** Keeps the process alive meanwhile. */
  upTo(order: number, timeoutMs: number): Promise<boolean> {
    if (this.#firstOrder() > order) return Promise.resolve(true);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        order,
        resolve: (isSettled) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve(isSettled);
        },
      };
      const timer = setTimeout(() => waiter.resolve(false), timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  check(): void {
    if (this.#waiters.size === 0) return;
    const first = this.#firstOrder();
    for (const waiter of [...this.#waiters]) if (first > waiter.order) waiter.resolve(true);
  }
}
