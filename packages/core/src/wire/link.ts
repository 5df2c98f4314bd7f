import { connect, type Socket } from "node:net";
import { messageOf } from "../bus/describe-error.js";
import { HookError } from "../catalog/errors.js";
import { type ConnectionSettings, describeAddress, type SocketAddress } from "./connection-options.js";
import { type LineFault, LineReader } from "./line-reader.js";

export interface LinkEvents {
  up(): void;
  line(line: string): void;
  fault(fault: LineFault): void;
  /** It could not be made, or is lost. Comes once, and nothing after it. */
  gone(cause: HookError): void;
}

export type LinkSettings = Pick<ConnectionSettings, "address" | "connectTimeoutMs" | "maxFrameBytes" | "timers">;

/** One socket from the first try to its end, however that comes. */
export class Link {
  readonly socket: Socket;
  readonly #address: SocketAddress;
  readonly #events: LinkEvents;
  readonly #reader: LineReader;
  readonly #cancelTimeout: () => void;
  #isOver = false;

  constructor(settings: LinkSettings, events: LinkEvents) {
    const { address, connectTimeoutMs, maxFrameBytes, timers } = settings;
    this.#address = address;
    this.#events = events;
    this.#reader = new LineReader({
      maxBytes: maxFrameBytes,
      // One chunk may hold the line that ends the link and others after it.
      onLine: (line) => this.#isOver || events.line(line),
      onFault: (fault) => events.fault(fault),
    });
    this.socket = connect({ ...address });
    this.#listen();
    this.#cancelTimeout = timers.after(connectTimeoutMs, () => this.fail(`it could not be made within ${connectTimeoutMs} ms`));
  }

  /** Says goodbye; the link is gone when the peer has, too. */
  end(): void {
    this.socket.end();
  }

  fail(why: string, cause?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimeout();
    this.#reader.end();
    this.socket.destroy();
    this.#events.gone(connectionLost(this.#address, why, cause));
  }

  #listen(): void {
    const { socket } = this;
    // Never taken off: an EPIPE may come when all is over, and unheard it would end the process.
    socket.on("error", (error) => this.fail(messageOf(error), error));
    socket.once("connect", () => {
      this.#cancelTimeout();
      if (!this.#isOver) this.#events.up();
    });
    socket.on("data", (chunk: Buffer) => {
      if (!this.#isOver) this.#reader.push(chunk);
    });
    socket.once("end", () => this.fail("the peer closed it"));
    socket.once("close", () => this.fail("it was closed"));
  }
}

export function connectionLost(address: SocketAddress, why: string, cause?: unknown): HookError {
  return new HookError("HL_CONNECTION_LOST", `No connection to "${describeAddress(address)}": ${why}.`, { failure: "crash", cause });
}
