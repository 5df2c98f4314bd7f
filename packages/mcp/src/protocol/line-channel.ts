import type { Readable, Writable } from "node:stream";
import { LineReader } from "@hookline/core/internal/wire";
import type { Channel, ChannelListener } from "./channel.js";
import { isTooDeep, type Message, TOO_DEEP } from "./message.js";

/** The longest message that is read. Results with pictures in them are long. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** Messages as lines of JSON, as MCP and ACP write them to stdin and stdout. */
export class LineChannel implements Channel {
  readonly #input: Readable;
  readonly #output: Writable;
  #listener: ChannelListener | undefined;
  #drained: Promise<void> | undefined;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async open(listener: ChannelListener): Promise<void> {
    this.#listener = listener;
    const reader = new LineReader({
      maxBytes: MAX_MESSAGE_BYTES,
      onLine: (line) => this.#read(line, listener),
      onFault: (fault) => listener.fault({ what: FAULTS[fault], isLost: true }),
    });
    this.#input.on("data", (chunk: Buffer) => reader.push(chunk));
    this.#input.once("end", () => this.#end("It closed its output."));
    this.#input.once("close", () => this.#end("It closed its output."));
    this.#input.once("error", (error) => this.#end(error.message));
    this.#output.once("error", (error) => this.#end(`It no longer reads: ${error.message}.`));
  }

  send(message: Message): Promise<void> {
    if (!this.#output.writable || this.#output.write(`${JSON.stringify(message)}\n`)) return Promise.resolve();
    // One wait for all: a server that floods would add listeners for each message.
    this.#drained ??= new Promise((resolve) => {
      const done = (): void => {
        for (const event of ["drain", "close", "error"]) this.#output.off(event, done);
        this.#drained = undefined;
        resolve();
      };
      for (const event of ["drain", "close", "error"]) this.#output.once(event, done);
    });
    return this.#drained;
  }

  async close(): Promise<void> {
    this.#input.pause();
    this.#output.end();
  }

  pause(): void {
    this.#input.pause();
  }

  resume(): void {
    this.#input.resume();
  }

  #read(line: string, listener: ChannelListener): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return listener.fault({ what: "a line that is not JSON" });
    }
    if (Array.isArray(message)) for (const one of message) hear(one, listener);
    else hear(message, listener);
  }

  #end(why: string): void {
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.closed(why);
  }
}

/** A batch, which MCP had in one version, is heard as the messages in it. */
function hear(message: unknown, listener: ChannelListener): void {
  if (typeof message !== "object" || message === null || Array.isArray(message))
    return listener.fault({ what: "a line that is not one JSON-RPC message" });
  if (isTooDeep(message)) return listener.fault({ what: TOO_DEEP, ...(!("method" in message) && { isLost: true }) });
  listener.message(message as Message);
}

const FAULTS = {
  oversize: `a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB`,
  not_utf8: "a line that is not UTF-8",
  truncated: "half a message",
} as const;
