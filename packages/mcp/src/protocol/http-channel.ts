import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Channel, ChannelListener } from "./channel.js";
import { MAX_MESSAGE_BYTES } from "./line-channel.js";
import { isRequest, isResponse, isTooDeep, type Message, type RequestId, TOO_DEEP } from "./message.js";
import { watchBody } from "./watched-body.js";

const NOT_FOUND = 404;
const UNAUTHORIZED = 401;

/** A server at a URL, over Streamable HTTP. */
export class HttpChannel implements Channel {
  readonly #url: URL;
  readonly #headers: { readonly [name: string]: string };
  readonly #open = new Set<RequestId>();
  #transport: StreamableHTTPClientTransport | undefined;
  #listener: ChannelListener | undefined;

  constructor(url: URL, headers: { readonly [name: string]: string }) {
    this.#url = url;
    this.#headers = headers;
  }

  async open(listener: ChannelListener): Promise<void> {
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    this.#listener = listener;
    const transport = new StreamableHTTPClientTransport(this.#url, { requestInit: { headers: this.#headers }, fetch: this.#fetch });
    transport.onmessage = (message) => this.#hear(message as Message);
    transport.onclose = () => this.#end("The connection was closed.");
    // What fails a request is told to that request; a stream without a request is opened again by the transport.
    transport.onerror = () => {};
    this.#transport = transport;
    await transport.start();
  }

  async send(message: Message): Promise<void> {
    if (isRequest(message)) this.#open.add(message.id);
    try {
      await this.#transport?.send(message as unknown as JSONRPCMessage);
    } catch (error) {
      this.#failed(message, error);
    }
  }

  async close(): Promise<void> {
    this.#listener = undefined;
    // The server may forget the session; one that does not answer is left alone.
    await this.#transport?.terminateSession().catch(() => {});
    await this.#transport?.close();
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
    const { code } = error as { readonly code?: unknown };
    const why = error instanceof Error ? withCause(error) : String(error);
    if (code === UNAUTHORIZED || (error instanceof Error && error.name === "UnauthorizedError"))
      return this.#refused(
        message,
        "It needs a login. Hookline does not log in: give it a token in HOOKLINE_MCP_HEADERS or with --bearer-env.",
      );
    // A session that the server no longer knows, or a server that is gone: the next try opens another session.
    if (code === NOT_FOUND || typeof code !== "number") return this.#end(why);
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

function idIn(body: unknown): RequestId | undefined {
  const message: unknown = typeof body === "string" ? JSON.parse(body) : undefined;
  return typeof message === "object" && message !== null && isRequest(message as Message) ? (message as { id: RequestId }).id : undefined;
}
