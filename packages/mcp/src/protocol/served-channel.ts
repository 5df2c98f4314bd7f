import type { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Channel, ChannelListener } from "./channel.js";
import { CODE, errorMessage, isRequest, isTooDeep, type Message, TOO_DEEP } from "./message.js";

/** A client that has connected over Streamable HTTP. */
export class ServedChannel implements Channel {
  readonly #transport: StreamableHTTPServerTransport;

  constructor(transport: StreamableHTTPServerTransport) {
    this.#transport = transport;
  }

  async open(listener: ChannelListener): Promise<void> {
    this.#transport.onmessage = (message) => this.#hear(message as Message, listener);
    this.#transport.onclose = () => listener.closed("The client has ended the session.");
    this.#transport.onerror = ({ message }) => listener.fault({ what: `a request that cannot be used: ${message}` });
    await this.#transport.start();
  }

  #hear(message: Message, listener: ChannelListener): void {
    if (!isTooDeep(message)) return listener.message(message);
    listener.fault({ what: TOO_DEEP });
    if (isRequest(message)) void this.send(errorMessage(message.id, CODE.invalid, `Hookline: this is ${TOO_DEEP}.`));
  }

  async send(message: Message): Promise<void> {
    // An answer whose client has hung up has no place to go.
    await this.#transport.send(message as unknown as JSONRPCMessage).catch(() => {});
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}
