import { backoffDelay } from "@hookline/core/internal/wire";
import type { Channel, ChannelFault } from "../protocol/channel.js";
import {
  CODE,
  errorMessage,
  type Fields,
  fieldsOf,
  isResponse,
  isWhole,
  type Message,
  notificationMessage,
  type Response,
} from "../protocol/message.js";

/** The server ended, could not be started, or lost the answer. */
export class UpstreamGone extends Error {}

export interface UpstreamOptions {
  readonly connect: () => Channel;
  /** A request or notification of the server. */
  readonly onMessage: (message: Message) => void;
  /** Something that the server should not have sent. */
  readonly onFault: (fault: ChannelFault) => void;
  /** The server is there, with its answer to `initialize`. */
  readonly onReady: (hello: Fields) => void;
  readonly onLost: (why: string) => void;
  /** How long a server may take for its answer to `initialize`. */
  readonly helloMs?: number;
}

interface Waiting {
  readonly resolve: (response: Response) => void;
  readonly reject: (error: Error) => void;
}

interface Connection {
  readonly channel: Channel;
  readonly hello: Fields;
}

/** The delays of the restarts. A server that lived so long has not failed to start. */
const BACKOFF = { baseMs: 250, maxMs: 5_000 };
const STEADY_MS = 10_000;

/** A server that is installed at its first start takes minutes. */
const HELLO_MS = 180_000;

const NO_ANSWER = "Its answer has no result and no error that can be used.";

/** The connection to a server. It is made again whenever it is lost, and every request gets an answer or an error. */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #hello: Fields = {};
  #channel: Channel | undefined;
  /** The connection that is being made or stands. */
  #connection: Promise<Connection> | undefined;
  #failures = 0;
  #pauses = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  /** Connects with what the client said in `initialize`, and stays connected. */
  start(hello: Fields): void {
    this.#hello = hello;
    this.#connect();
  }

  /** The server's answer to `initialize`. Rejects with `UpstreamGone` if this try fails. */
  async ready(): Promise<Fields> {
    return (await this.#connected()).hello;
  }

  /** Sends a request when the server is there. Rejects with `UpstreamGone`, or with the signal's reason. */
  async request(method: string, params: unknown, signal?: AbortSignal): Promise<Response> {
    const { channel } = await abortable(this.#connected(), signal);
    return this.#ask(channel, { method, ...(params !== undefined && { params }) }, signal);
  }

  /** Sends a notification, or an answer to the server. One that has no server to go to is dropped. */
  async tell(message: Message): Promise<void> {
    const connection = await this.#connected().catch(() => undefined);
    await connection?.channel.send(message);
  }

  /** Several may pause it: it goes on when all have resumed. */
  pause(): void {
    if (this.#pauses++ === 0) this.#channel?.pause?.();
  }

  resume(): void {
    if (--this.#pauses === 0) this.#channel?.resume?.();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#failAll("The gateway is closing.");
    await this.#channel?.close();
  }

  #connected(): Promise<Connection> {
    return this.#connection ?? Promise.reject(new UpstreamGone("It is not connected."));
  }

  #connect(): void {
    if (this.#isClosed) return;
    const channel = this.#options.connect();
    this.#channel = channel;
    let lose: (why: string) => void = () => {};
    const lost = new Promise<never>((_, reject) => {
      lose = (why) => reject(new UpstreamGone(why));
    });
    const startedAt = performance.now();
    const connection = Promise.race([this.#handshake(channel, (why) => lose(why)), lost]);
    this.#connection = connection;
    connection.then(({ hello }) => this.#options.onReady(hello)).catch(() => {});
    // Either the connection fails to be made, or it is lost later.
    const ended = Promise.race([lost, connection.then(() => lost)]);
    ended.catch((error: unknown) => this.#lost(channel, error, startedAt));
  }

  async #handshake(channel: Channel, lose: (why: string) => void): Promise<Connection> {
    await channel
      .open({
        message: (message) => this.#hear(channel, message),
        fault: (fault) => this.#fault(channel, fault),
        failed: (id, why) => this.#fail(id, why),
        closed: lose,
      })
      .catch((cause: unknown) => {
        throw new UpstreamGone(`It could not be reached: ${textOf(cause)}.`, { cause });
      });
    const { result, error } = await this.#greet(channel);
    if (error !== undefined) throw new UpstreamGone(`It refused to start: ${String(fieldsOf(error).message)}`);
    const hello = fieldsOf(result);
    if (typeof hello.protocolVersion === "string") channel.agreedOn?.(hello.protocolVersion);
    await channel.send(notificationMessage("notifications/initialized"));
    return { channel, hello };
  }

  async #greet(channel: Channel): Promise<Response> {
    const { helloMs = HELLO_MS } = this.#options;
    const tooLong = new AbortController();
    const timer = setTimeout(() => tooLong.abort(new UpstreamGone(`It did not answer initialize within ${helloMs / 1_000} s.`)), helloMs);
    try {
      return await this.#ask(channel, { method: "initialize", params: this.#hello }, tooLong.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  #ask(channel: Channel, message: Fields, signal?: AbortSignal): Promise<Response> {
    const id = this.#nextId++;
    return new Promise<Response>((resolve, reject) => {
      const cancel = (): void => {
        this.#waiting.delete(id);
        void channel.send(notificationMessage("notifications/cancelled", { requestId: id, reason: textOf(signal?.reason) }));
        reject(signal?.reason);
      };
      if (signal?.aborted === true) return reject(signal.reason);
      signal?.addEventListener("abort", cancel, { once: true });
      const done = (): void => signal?.removeEventListener("abort", cancel);
      this.#waiting.set(id, {
        resolve(response) {
          done();
          resolve(response);
        },
        reject(error) {
          done();
          reject(error);
        },
      });
      void channel.send({ jsonrpc: "2.0", id, ...message });
    });
  }

  #hear(channel: Channel, message: Message): void {
    if (channel !== this.#channel) return;
    if (!isResponse(message)) {
      this.#options.onMessage(message);
      // It has answered, but there is nothing to pass on.
      return message.method === undefined ? this.#fail(message.id, NO_ANSWER) : undefined;
    }
    if (!isWhole(message)) {
      this.#options.onFault({ what: "an answer that is not an object" });
      return this.#fail(message.id, NO_ANSWER);
    }
    const waiting = typeof message.id === "number" ? this.#waiting.get(message.id) : undefined;
    if (waiting === undefined) return this.#options.onFault({ what: "an answer to an unknown question, or a second one" });
    this.#waiting.delete(message.id as number);
    waiting.resolve(message);
  }

  #fail(id: unknown, why: string): void {
    const waiting = typeof id === "number" ? this.#waiting.get(id) : undefined;
    this.#waiting.delete(id as number);
    waiting?.reject(new UpstreamGone(why));
  }

  #fault(channel: Channel, fault: ChannelFault): void {
    if (channel !== this.#channel) return;
    this.#options.onFault(fault);
    // It may have been any of the answers that are due, and no client may wait forever.
    if (fault.isLost === true) this.#failAll(`It sent ${fault.what}, which was dropped.`);
  }

  #lost(channel: Channel, error: unknown, startedAt: number): void {
    if (channel !== this.#channel || this.#isClosed) return;
    const why = textOf(error);
    this.#failAll(why);
    this.#options.onLost(why);
    if (performance.now() - startedAt > STEADY_MS) this.#failures = 0;
    void channel.close();
    this.#channel = undefined;
    // Requests that come meanwhile wait for the next try.
    this.#connection = new Promise((resolve, reject) => {
      this.#timer = setTimeout(
        () => {
          this.#connect();
          this.#connected().then(resolve, reject);
        },
        backoffDelay(this.#failures++, BACKOFF),
      );
    });
    this.#connection.catch(() => {});
  }

  #failAll(why: string): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new UpstreamGone(why));
  }
}

/** The answer to a request that could not be passed on. */
export function goneMessage(id: string | number, server: string, error: unknown): Message {
  return errorMessage(id, CODE.internal, goneText(server, error));
}

export function goneText(server: string, error: unknown): string {
  return `The MCP server "${server}" did not answer: ${textOf(error)} Hookline tries again. To look: hookline doctor`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error ?? "cancelled");
}

async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  let abort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", abort));
}
