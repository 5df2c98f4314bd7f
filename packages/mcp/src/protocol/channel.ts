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

/** A connection that carries messages both ways. */
export interface Channel {
  /** Begins to read. Rejects if the other side cannot be reached. */
  open(listener: ChannelListener): Promise<void>;
  /** Resolves when the other side can take more. Never rejects: `closed` tells about a lost connection. */
  send(message: Message): Promise<void>;
  close(): Promise<void>;
  /** Stops and continues reading, where that is possible: the other side then waits. */
  pause?(): void;
  resume?(): void;
  /** The version that both sides have agreed on. HTTP sends it in a header. */
  agreedOn?(version: string): void;
}
