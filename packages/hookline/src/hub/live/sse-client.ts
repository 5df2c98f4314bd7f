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
  send(...frames: readonly Buffer[]): void;
  /** Resolves when nothing waits any more, or the client is gone. */
  drained(): Promise<void>;
  beat(): void;
  /** What it has not taken yet. */
  readonly waitingBytes: number;
  /** Lets go of a client that has taken nothing for so long. */
  checkStall(now: number, maxStallMs?: number): void;
  /** Lets go of a client that cannot be told all there is. */
  letGo(): void;
  end(bytes: Buffer): void;
  onClose(listener: () => void): void;
}

export function createSseClient(outgoing: ServerResponse, limits: SseLimits, onDrop: (reason: DropReason) => void): SseClient {
  let isOpen = true;
  let isEnding = false;
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

  function send(...frames: readonly Buffer[]): void {
    if (!isOpen || isEnding) return;
    // What waits already counts, not what comes: a large commit alone is no fault of the client's.
    if (outgoing.writableLength > limits.maxBacklogBytes) return drop("backlog");
    for (const bytes of frames) if (!outgoing.write(bytes)) blockedSince ??= Date.now();
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
    get waitingBytes() {
      return isOpen ? outgoing.writableLength : 0;
    },
    // Who has something to take needs no sign of life.
    beat() {
      if (blockedSince === undefined) send(HEARTBEAT);
    },
    checkStall(now, maxStallMs = limits.maxStallMs) {
      if (blockedSince !== undefined && now - blockedSince >= maxStallMs) drop("stalled");
    },
    letGo: () => drop("backlog"),
    end(bytes) {
      if (isOpen && !isEnding) outgoing.end(bytes);
      isEnding = true;
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
