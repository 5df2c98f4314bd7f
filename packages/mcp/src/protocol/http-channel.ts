import type { JSONRPCMessage, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Channel, ChannelListener, SendOptions } from "./channel.js";
import { hasEnvelope } from "./era.js";
import { MAX_MESSAGE_BYTES } from "./line-channel.js";
import { fieldsOf, isRequest, isResponse, isTooDeep, type Message, type RequestId, TOO_DEEP } from "./message.js";
import { watchBody } from "./watched-body.js";

const NOT_FOUND = 404;
const UNAUTHORIZED = 401;

/** A server at a URL, over Streamable HTTP. */
export class HttpChannel implements Channel {
  readonly #url: URL;
  readonly #headers: { readonly [name: string]: string };
  /** What ends a request of the modern era: it has a connection of its own. */
  readonly #open = new Map<RequestId, AbortController>();
  #transport: StreamableHTTPClientTransport | undefined;
  #listener: ChannelListener | undefined;

  constructor(url: URL, headers: { readonly [name: string]: string }) {
    this.#url = url;
    this.#headers = headers;
  }

  async open(listener: ChannelListener): Promise<void> {
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    this.#listener = listener;
    const transport = new StreamableHTTPClientTransport(this.#url, { requestInit: { headers: this.#headers }, fetch: this.#fetch });
    transport.onmessage = (message) => this.#hear(message as Message);
    transport.onclose = () => this.#end("The connection was closed.");
    // What fails a request is told to that request; a stream without a request is opened again by the transport.
    transport.onerror = () => {};
    this.#transport = transport;
    await transport.start();
  }

  async send(message: Message, { headers }: SendOptions = {}): Promise<void> {
    const ended = new AbortController();
    if (isRequest(message)) this.#open.set(message.id, ended);
    const isModern = isRequest(message) && hasEnvelope(message.params);
    const options = isModern ? { requestSignal: ended.signal, ...(headers !== undefined && { headers }) } : {};
    try {
      await this.#transport?.send(message as unknown as JSONRPCMessage, options);
    } catch (error) {
      if (!ended.signal.aborted) this.#failed(message, error);
    }
  }

  async close(): Promise<void> {
    this.#listener = undefined;
    // The server may forget the session; one that does not answer is left alone.
    await this.#transport?.terminateSession().catch(() => {});
    await this.#transport?.close();
  }

  /** In the modern era, to close a request's connection is to cancel it. */
  cancel(id: RequestId): boolean {
    const request = this.#open.get(id);
    this.#open.delete(id);
    request?.abort();
    return this.#transport?.sessionId === undefined && this.#transport?.protocolVersion === undefined;
  }

  agreedOn(version: string): void {
    this.#transport?.setProtocolVersion(version);
  }

  #hear(message: Message): void {
    if (isTooDeep(message)) {
      this.#listener?.fault({ what: TOO_DEEP });
      if (isResponse(message)) this.#lost(message.id, `It sent ${TOO_DEEP}, which was dropped.`);
      return;
    }
    if (isResponse(message)) this.#open.delete(message.id);
    this.#listener?.message(message);
  }

  /** An answer that ends without the message that it was for would let the client wait forever. */
  #fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    const id = init?.method === "POST" && response.ok ? idIn(init.body) : undefined;
    return watchBody(response, {
      maxBytes: MAX_MESSAGE_BYTES,
      onEnd: ({ why, isResumable }) => {
        // The transport reads what was received first.
        if (id !== undefined && !isResumable) setImmediate(() => this.#lost(id, why));
      },
    });
  };

  #lost(id: RequestId, why: string): void {
    if (this.#open.delete(id)) this.#listener?.failed(id, why);
  }

  #failed(message: Message, error: unknown): void {
    const { status, data } = error as { readonly status?: unknown; readonly data?: unknown };
    const why = error instanceof Error ? withCause(error) : String(error);
    if (status === UNAUTHORIZED || (error instanceof Error && error.name === "UnauthorizedError"))
      return this.#refused(
        message,
        "It needs a login. Hookline does not log in: give it a token in HOOKLINE_MCP_HEADERS or with --bearer-env.",
      );
    // Many errors of the modern era have an HTTP status, too: what the server says in the body is its answer.
    const answer = isRequest(message) ? errorIn(fieldsOf(data).text, message.id) : undefined;
    if (answer !== undefined) return this.#hear(answer);
    // A session that the server no longer knows, or a server that is gone: the next try opens another session.
    const isLost = typeof status === "number" ? status === NOT_FOUND && this.#transport?.sessionId !== undefined : !isOfContent(error);
    if (isLost) return this.#end(why);
    this.#refused(message, why);
  }

  #refused(message: Message, why: string): void {
    if (isRequest(message)) this.#lost(message.id, why);
    else this.#listener?.fault({ what: `no answer to a message: ${why}` });
  }

  #end(why: string): void {
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.closed(why);
  }
}

/** `fetch failed` alone says nothing. */
function withCause({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${cause.message || (cause as NodeJS.ErrnoException).code})` : message;
}

/** An answer of a type that no message can be in. */
function isOfContent(error: unknown): boolean {
  return error instanceof Error && error.name === "SdkError";
}

function errorIn(text: unknown, id: RequestId): Message | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const answer = fieldsOf(JSON.parse(text));
    return answer.id === id && fieldsOf(answer.error) === answer.error ? answer : undefined;
  } catch {
    return undefined;
  }
}

function idIn(body: unknown): RequestId | undefined {
  const message: unknown = typeof body === "string" ? JSON.parse(body) : undefined;
  return typeof message === "object" && message !== null && isRequest(message as Message) ? (message as { id: RequestId }).id : undefined;
}
