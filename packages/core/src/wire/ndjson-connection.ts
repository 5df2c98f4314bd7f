import type { Socket } from "node:net";
import { HookError, quietly } from "../catalog/errors.js";
import { Redial } from "./backoff.js";
import type { ConnectionState, FrameListener, NdjsonConnection, SendResult, StateListener } from "./connection.js";
import {
  type ConnectionOptions,
  type ConnectionSettings,
  describeAddress,
  readAmount,
  readConnectionOptions,
  type SocketAddress,
} from "./connection-options.js";
import { isOversize, noProtocolErrors, type ProtocolFault, parseFrame } from "./frames.js";
import { connectionLost, Link } from "./link.js";
import { WriteQueue } from "./write-queue.js";

/** Connects at the first write or `connect()`, and again, with growing pauses, whenever the connection is lost. */
export function createNdjsonConnection(options: ConnectionOptions): NdjsonConnection {
  return new Connection(readConnectionOptions(options));
}

class Connection implements NdjsonConnection {
  readonly counters = { connects: 0, losses: 0, linesOut: 0, framesIn: 0, protocolErrors: noProtocolErrors() };
  readonly #settings: ConnectionSettings;
  readonly #listeners = new Listeners(this.counters);
  readonly #keepAlive = new KeepAlive();
  readonly #redial: Redial;
  readonly #queue: WriteQueue;
  #state: ConnectionState = "down";
  #cause: unknown;
  #link: Link | undefined;
  #release = (): void => {};
  #closing: Promise<void> | undefined;
  #closed = (): void => {};

  constructor(settings: ConnectionSettings) {
    const { timers, stallTimeoutMs, maxPendingBytes } = settings;
    this.#settings = settings;
    this.#redial = new Redial(settings, () => this.connect());
    const onStall = (): void => {
      this.#redial.stalled();
      this.#link?.fail(`the peer has read nothing for ${stallTimeoutMs} ms`);
    };
    this.#queue = new WriteQueue({ timers, stallTimeoutMs, maxPendingBytes, onStall, onBusy: (isBusy) => this.#busy(isBusy) });
  }

  get address(): SocketAddress {
    return this.#settings.address;
  }
  get state(): ConnectionState {
    return this.#state;
  }
  get maxFrameBytes(): number {
    return this.#settings.maxFrameBytes;
  }
  get pendingBytes(): number {
    return this.#queue.pendingBytes;
  }

  connect(): void {
    if (this.#state !== "down" || this.#closing !== undefined) return;
    this.#redial.cancel();
    this.#become("connecting");
    try {
      this.#settings.check();
      this.#link = this.#dial();
    } catch (error) {
      this.#gone(error);
    }
  }

  write(lines: readonly string[], signal?: AbortSignal): Promise<SendResult> {
    const refusal = this.#refusal(lines);
    if (refusal !== undefined) return Promise.resolve({ status: "failed", cause: refusal });
    if (lines.length === 0) return Promise.resolve({ status: "sent" });
    if (this.#redial.waitMs <= 0) this.connect();
    if (this.#state === "down")
      return Promise.resolve({ status: "retry", afterMs: Math.max(1, Math.ceil(this.#redial.waitMs)), cause: this.#cause });
    return this.#queue.add(Buffer.from(`${lines.join("\n")}\n`), signal).then((result) => {
      if (result.status === "sent") this.counters.linesOut += lines.length;
      return result;
    });
  }

  onFrame(listener: FrameListener): () => void {
    return listen(this.#listeners.frame, listener);
  }

  onState(listener: StateListener): () => void {
    return listen(this.#listeners.state, listener);
  }

  hold(): () => void {
    return this.#keepAlive.hold();
  }

  close(deadlineMs = 2000): Promise<void> {
    readAmount("deadlineMs", deadlineMs);
    if (this.#closing !== undefined) return this.#closing;
    this.#closing = new Promise((resolve) => {
      this.#closed = resolve;
    });
    this.hold();
    this.#redial.cancel();
    const cancel = this.#settings.timers.after(deadlineMs, () => this.#link?.fail(`it did not end within ${deadlineMs} ms`));
    this.#windUp();
    return this.#closing.then(cancel);
  }

  /** Ends what is there to end, once nothing waits. */
  #windUp(): void {
    if (this.#link === undefined) this.#gone(connectionLost(this.address, "it has been closed"));
    else if (this.#state !== "up" && this.pendingBytes === 0) this.#link.fail("it is being closed");
    else if (this.pendingBytes === 0) this.#link.end();
  }

  #dial(): Link {
    const link = new Link(this.#settings, {
      up: () => this.#up(link),
      line: (line) => this.#listeners.read(line),
      fault: (fault) => this.#listeners.fault(fault),
      gone: (cause) => this.#gone(cause),
    });
    this.#keepAlive.follow(link.socket);
    return link;
  }

  #up({ socket }: Link): void {
    this.counters.connects++;
    this.#redial.up();
    this.#become("up");
    this.#queue.start(socket);
  }

  #gone(cause: unknown): void {
    const isClosing = this.#closing !== undefined;
    this.#link = undefined;
    this.#keepAlive.follow(undefined);
    this.#cause = cause;
    if (!isClosing) {
      this.counters.losses++;
      this.#redial.lost();
    }
    this.#become(isClosing ? "closed" : "down", cause);
    this.#queue.stop(cause);
    this.#closed();
  }

  #busy(isBusy: boolean): void {
    this.#release();
    this.#release = isBusy ? this.hold() : () => {};
    if (!isBusy && this.#closing !== undefined && this.#link !== undefined) this.#windUp();
  }

  #become(state: ConnectionState, cause?: unknown): void {
    this.#state = state;
    this.#listeners.tell(state, cause);
  }

  #refusal(lines: readonly string[]): HookError | undefined {
    if (this.#closing !== undefined) return connectionLost(this.address, "it has been closed");
    const max = this.maxFrameBytes;
    if (!lines.some((line) => isOversize(line, max))) return undefined;
    const where = describeAddress(this.address);
    return new HookError("HL_FRAME_TOO_LARGE", `A line for "${where}" is longer than ${max} bytes.`, { failure: "protocol_error" });
  }
}

/** Keeps the process alive while the connection's current socket is held. */
class KeepAlive {
  #socket: Socket | undefined;
  #holds = 0;

  /** The socket there is now. */
  follow(socket: Socket | undefined): void {
    this.#socket = socket;
    this.#apply();
  }

  /** Gives back what lets go; letting go twice does nothing. */
  hold(): () => void {
    let isHeld = true;
    this.#holds++;
    this.#apply();
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds--;
      this.#apply();
    };
  }

  #apply(): void {
    if (this.#holds > 0) this.#socket?.ref();
    else this.#socket?.unref();
  }
}

interface IntakeCounters {
  framesIn: number;
  readonly protocolErrors: Record<ProtocolFault, number>;
}

/** The listeners of a connection. One that throws has not claimed the frame. */
class Listeners {
  readonly frame = new Set<FrameListener>();
  readonly state = new Set<StateListener>();
  readonly #counters: IntakeCounters;

  constructor(counters: IntakeCounters) {
    this.#counters = counters;
  }

  tell(state: ConnectionState, cause: unknown): void {
    // This runs inside a socket's event, where an exception would end the process.
    for (const listener of [...this.state]) quietly(() => listener(state, cause));
  }

  /** Offers the frame on a line to one listener after the other until one claims it. */
  read(line: string): void {
    const frame = parseFrame(line);
    if (typeof frame === "string") return this.fault(frame);
    this.#counters.framesIn++;
    const isClaimed = [...this.frame].some((listener) => quietly(() => listener(frame)) === true);
    if (!isClaimed) this.fault("unexpected");
  }

  fault(fault: ProtocolFault): void {
    this.#counters.protocolErrors[fault]++;
  }
}

/** Adds a listener; gives back what takes it off. */
function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
