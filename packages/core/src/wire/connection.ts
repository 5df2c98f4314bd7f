import type { SocketAddress } from "./connection-options.js";
import type { Frame, ProtocolErrors } from "./frames.js";

/** What came of a delivery. A sink answers with one of these; it does not throw. */
export type SendResult =
  | { readonly status: "sent" }
  | { readonly status: "retry"; readonly afterMs?: number; readonly cause: unknown }
  | { readonly status: "failed"; readonly cause: unknown };

/** `down`: not connected, and not trying at this moment. */
export type ConnectionState = "connecting" | "up" | "down" | "closed";

/** Says whether the frame was one it waited for. */
export type FrameListener = (frame: Frame) => boolean;
/** Receives each change of the state, with its cause. */
export type StateListener = (state: ConnectionState, cause: unknown) => void;

/** The counters of a socket. */
export interface NdjsonCounters {
  /** How often it stood. */
  readonly connects: number;
  /** How often it was lost, or could not be made. */
  readonly losses: number;
  readonly linesOut: number;
  readonly framesIn: number;
  readonly protocolErrors: ProtocolErrors;
}

/** One lasting connection that carries a JSON object a line, both ways. It keeps the process alive only while something is on its way. */
export interface NdjsonConnection {
  readonly address: SocketAddress;
  readonly state: ConnectionState;
  readonly maxFrameBytes: number;
  /** What the kernel has not taken yet. */
  readonly pendingBytes: number;
  readonly counters: NdjsonCounters;
  /** Tries now instead of at the end of the pause. The first write does so by itself. */
  connect(): void;
  /** `sent` when the kernel has taken every line, in the order of the calls. Each line is JSON, without its line end. Never rejects. */
  write(lines: readonly string[], signal?: AbortSignal): Promise<SendResult>;
  /** A frame that no listener claims is a protocol error. */
  onFrame(listener: FrameListener): () => void;
  onState(listener: StateListener): () => void;
  /** Keeps the process alive, while connected, until what it gives back is called. */
  hold(): () => void;
  /** Writes what waits, within the deadline (default 2000 ms), and is over: for good. */
  close(deadlineMs?: number): Promise<void>;
}
