import { backoffDelay } from "@hookline/core/internal/wire";
import type { Channel, ChannelFault, SendOptions } from "../protocol/channel.js";
import { type ClientFacts, clientCapabilitiesFor, withEnvelope } from "../protocol/era.js";
import {
  CODE,
  errorMessage,
  type Fields,
  isResponse,
  isWhole,
  type Message,
  notificationMessage,
  type Response,
} from "../protocol/message.js";
import { type Greeting, greet } from "./greet.js";
import type { ServerHello } from "./server-hello.js";

/** The server ended, could not be started, or lost the answer. */
export class UpstreamGone extends Error {}

export interface UpstreamOptions {
  readonly connect: () => Channel;
  /** A request or notification of the server. */
  readonly onMessage: (message: Message) => void;
  /** Something that the server should not have sent. */
  readonly onFault: (fault: ChannelFault) => void;
  /** The server is there, with what it says about itself. */
  readonly onReady: (hello: ServerHello) => void;
  readonly onLost: (why: string) => void;
  /** How long a server may take until it says what it is. */
  readonly helloMs?: number;
  /** How long it may take for the question which one that does not speak the modern era may ignore. */
  readonly probeMs?: number;
}

/** How a request is sent. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** What the client says about itself with this request. */
  readonly facts?: ClientFacts | undefined;
  readonly headers?: SendOptions["headers"];
  /** Hears under which id the request goes to the server. */
  readonly onId?: (id: number) => void;
}

interface Waiting {
  readonly resolve: (response: Response) => void;
  readonly reject: (error: Error) => void;
}

interface Connection {
  readonly channel: Channel;
  readonly hello: ServerHello;
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
  #greeting: Greeting | undefined;
  #channel: Channel | undefined;
  /** The connection that is being made or stands. */
  #connection: Promise<Connection> | undefined;
  /** Some servers end at a question that they do not know. They are greeted in the old way then. */
  #isOld = false;
  #failures = 0;
  #pauses = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  /** Connects with what the client says about itself, and stays connected. */
  start(greeting: Greeting): void {
    this.#greeting = greeting;
    this.#connect();
  }

  /** What the server says about itself. Rejects with `UpstreamGone` if this try fails. */
  async ready(): Promise<ServerHello> {
    return (await this.#connected()).hello;
  }

  /** Sends a request when the server is there, in the server's era. Rejects with `UpstreamGone`, or with the signal's reason. */
  async request(method: string, params: unknown, options: RequestOptions = {}): Promise<Response> {
    const { channel, hello } = await abortable(this.#connected(), options.signal);
    if (hello.era === "legacy") return this.#ask(channel, { method, ...(params !== undefined && { params }) }, options);
    const { info, capabilities = {}, logLevel } = options.facts ?? this.#greeting?.facts ?? { info: undefined };
    const facts = { info, capabilities: clientCapabilitiesFor("modern", capabilities), ...(logLevel !== undefined && { logLevel }) };
    return this.#ask(channel, { method, params: withEnvelope(params, facts) }, options);
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
    const isProbed = this.#greeting?.prefer === "modern" && this.#greeting.eras === "any";
    const mayBeOld = channel.isProcess === true && isProbed && !this.#isOld;
    this.#connection = mayBeOld ? connection.catch(() => this.#connectToOld(channel)) : connection;
    let isReady = false;
    connection
      .then(({ hello }) => {
        isReady = true;
        this.#options.onReady(hello);
      })
      .catch(() => {});
    // Either the connection fails to be made, or it is lost later.
    const ended = Promise.race([lost, connection.then(() => lost)]);
    ended.catch((error: unknown) => {
      if (!isReady && mayBeOld) return;
      // It ended at the old greeting, too: that it is old is not known.
      if (!isReady) this.#isOld = false;
      this.#lost(channel, error, startedAt);
    });
  }

  #connectToOld(channel: Channel): Promise<Connection> {
    this.#isOld = true;
    void channel.close();
    this.#channel = undefined;
    this.#connect();
    return this.#connected();
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
    const hello = await this.#greet(channel);
    if (hello.era === "modern") return { channel, hello };
    channel.agreedOn?.(hello.version);
    await channel.send(notificationMessage("notifications/initialized"));
    return { channel, hello };
  }

  async #greet(channel: Channel): Promise<ServerHello> {
    const { helloMs = HELLO_MS, probeMs } = this.#options;
    if (this.#greeting === undefined) throw new UpstreamGone("It is not connected.");
    const greeting: Greeting = this.#isOld ? { ...this.#greeting, prefer: "legacy" } : this.#greeting;
    const tooLong = new AbortController();
    const timer = setTimeout(() => tooLong.abort(new UpstreamGone(`It did not answer initialize within ${helloMs / 1_000} s.`)), helloMs);
    const ask = (method: string, params: Fields) => this.#ask(channel, { method, params }, { signal: tooLong.signal });
    try {
      return await greet(greeting, ask, probeMs);
    } catch (error) {
      throw error instanceof UpstreamGone ? error : new UpstreamGone(textOf(error), { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  #ask(channel: Channel, message: Fields, { signal, headers, onId }: RequestOptions): Promise<Response> {
    const id = this.#nextId++;
    onId?.(id);
    return new Promise<Response>((resolve, reject) => {
      const cancel = (): void => {
        this.#waiting.delete(id);
        if (channel.cancel?.(id) !== true)
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
      void channel.send({ jsonrpc: "2.0", id, ...message }, { headers });
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

/** The promise, or the signal's reason, whichever is first. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  let abort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", abort));
}
