import type { ServerResponse } from "node:http";
import { HEARTBEAT } from "./sse-frames.js";

export type DropReason = "backlog" | "stalled";

export interface SseLimits {
  /** How much may wait for one client. */
  readonly maxBacklogBytes: number;
  /** How long a client may take nothing while something waits for it. */
  readonly maxStallMs: number;
}

/** One who watches over HTTP. It is never waited for: who does not keep up is let go, and can resume. */
export interface SseClient {
  readonly isOpen: boolean;
  send(bytes: Buffer): void;
  /** Resolves when nothing waits any more, or the client is gone. */
  drained(): Promise<void>;
  beat(): void;
  /** Lets go of a client that has stopped reading. */
  checkStall(now: number): void;
  end(bytes: Buffer): void;
  onClose(listener: () => void): void;
}

export function createSseClient(outgoing: ServerResponse, limits: SseLimits, onDrop: (reason: DropReason) => void): SseClient {
  let isOpen = true;
  let blockedSince: number | undefined;
  let closeListeners: (() => void)[] = [];
  const drainListeners: (() => void)[] = [];

  outgoing.on("drain", () => {
    blockedSince = undefined;
    releaseDrained();
  });
  outgoing.on("close", close);
  outgoing.on("error", close);
  begin(outgoing);

  function releaseDrained(): void {
    for (const listener of drainListeners.splice(0)) listener();
  }

  function close(): void {
    isOpen = false;
    for (const listener of closeListeners) listener();
    closeListeners = [];
    releaseDrained();
  }

  function drop(reason: DropReason): void {
    if (!isOpen) return;
    onDrop(reason);
    outgoing.socket?.destroy();
    close();
  }

  function send(bytes: Buffer): void {
    if (!isOpen) return;
    // What waits already counts, not what comes: a large commit alone is no fault of the client's.
    if (outgoing.writableLength > limits.maxBacklogBytes) return drop("backlog");
    if (!outgoing.write(bytes)) blockedSince ??= Date.now();
  }

  return {
    get isOpen() {
      return isOpen;
    },
    send,
    drained() {
      if (!isOpen || blockedSince === undefined) return Promise.resolve();
      return new Promise((resolve) => {
        drainListeners.push(resolve);
      });
    },
    beat: () => send(HEARTBEAT),
    checkStall(now) {
      if (blockedSince !== undefined && now - blockedSince >= limits.maxStallMs) drop("stalled");
    },
    end(bytes) {
      if (isOpen) outgoing.end(bytes);
    },
    onClose(listener) {
      if (isOpen) closeListeners.push(listener);
      else listener();
    },
  };
}

/** The end of the connection is the end of the body: in chunks each write would be three. */
function begin(outgoing: ServerResponse): void {
  outgoing.useChunkedEncodingByDefault = false;
  outgoing.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8", Connection: "close", "X-Accel-Buffering": "no" });
  outgoing.flushHeaders();
}
