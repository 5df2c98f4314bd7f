import type { JSONRPCMessage, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Channel, ChannelListener, SendOptions } from "./channel.js";
import { CODE, errorMessage, isRequest, isTooDeep, type Message, TOO_DEEP } from "./message.js";

/** A client of the legacy era that has connected over Streamable HTTP. */
export class ServedChannel implements Channel {
  readonly #transport: WebStandardStreamableHTTPServerTransport;

  constructor(transport: WebStandardStreamableHTTPServerTransport) {
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

  async send(message: Message, { related }: SendOptions = {}): Promise<void> {
    const options = related === undefined ? {} : { relatedRequestId: related };
    // An answer whose client has hung up has no place to go.
    await this.#transport.send(message as unknown as JSONRPCMessage, options).catch(() => {});
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}
