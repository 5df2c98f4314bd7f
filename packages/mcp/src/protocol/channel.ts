import type { Message, RequestId } from "./message.js";

/** What can be wrong with what the other side sends. `lost`: a message was dropped that may have been an answer. */
export interface ChannelFault {
  readonly what: string;
  readonly isLost?: true;
}

export interface ChannelListener {
  message(message: Message): void;
  fault(fault: ChannelFault): void;
  /** A request that was sent gets no answer. */
  failed(id: RequestId, why: string): void;
  /** The connection has ended, on either side. Called once. `why`: what is known about it. */
  closed(why: string): void;
}

export interface SendOptions {
  /** The client's request that a notification is about: over HTTP it goes with that request's answer. */
  readonly related?: RequestId | undefined;
  /** Headers that mirror parameters of the request, over HTTP. */
  readonly headers?: { readonly [name: string]: string } | undefined;
}

/** A connection that carries messages both ways. */
export interface Channel {
  /** The other side is a process, which may end at a message that it does not know. */
  readonly isProcess?: true;
  /** Begins to read. Rejects if the other side cannot be reached. */
  open(listener: ChannelListener): Promise<void>;
  /** Resolves when the other side can take more. Never rejects: `closed` tells about a lost connection. */
  send(message: Message, options?: SendOptions): Promise<void>;
  close(): Promise<void>;
  /** Ends a request that was sent, where no message says so. Says whether it did. */
  cancel?(id: RequestId): boolean;
  /** Stops and continues reading, where that is possible: the other side then waits. */
  pause?(): void;
  resume?(): void;
  /** The version that both sides have agreed on. HTTP sends it in a header. */
  agreedOn?(version: string): void;
}
