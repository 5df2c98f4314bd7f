import type { ServerResponse } from "node:http";
import { HEARTBEAT } from "./sse-frames.js";
import { timeSlices } from "./time-slices.js";

export type DropReason = "backlog" | "stalled";

export interface SseLimits {
  /** How much may wait for one client. */
  readonly maxBacklogBytes: number;
}

/** A client that watches over HTTP. The hub never waits for it: a client that does not keep up is disconnected, and can resume. */
export interface SseClient {
  readonly isOpen: boolean;
  send(...frames: readonly Buffer[]): void;
  /** Resolves when nothing waits any more, or the client is gone. */
  drained(): Promise<void>;
  beat(): void;
  /** What it has not taken yet. */
  readonly waitingBytes: number;
  /** Lets go of a client that has taken nothing for so long, and says whether it did. */
  checkStall(now: number, maxStallMs: number): boolean;
  /** Lets go of a client that cannot be told all there is. */
  letGo(): void;
  end(bytes: Buffer): void;
  onClose(listener: () => void): void;
}

/** What is handed to a socket in one go. All of 4 MiB at once, to hundreds of sockets, is a second in which nothing else happens. */
const PIECE_BYTES = 16 * 1024;

export function createSseClient(outgoing: ServerResponse, limits: SseLimits, onDrop: (reason: DropReason) => void): SseClient {
  let isOpen = true;
  let isEnding = false;
  let blockedSince: number | undefined;
  let closeListeners: (() => void)[] = [];
  const drainListeners: (() => void)[] = [];
  let queue: Buffer[] = [];
  let queuedBytes = 0;
  let isWaitingForTurn = false;

  outgoing.on("drain", () => {
    blockedSince = undefined;
    goOn();
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
    queue = [];
    queuedBytes = 0;
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
    // Only bytes that already wait count: the client is not to blame for one large commit.
    if (waitingBytes() > limits.maxBacklogBytes) return drop("backlog");
    for (const bytes of frames) {
      queue.push(bytes);
      queuedBytes += bytes.length;
    }
    if (!isWaitingForTurn) writePiece();
  }

  function waitingBytes(): number {
    return isOpen ? queuedBytes + outgoing.writableLength : 0;
  }

  function writePiece(): void {
    const [first] = queue;
    if (first === undefined || blockedSince !== undefined) return;
    if (first.length > PIECE_BYTES) queue[0] = first.subarray(PIECE_BYTES);
    else queue.shift();
    const piece = first.subarray(0, PIECE_BYTES);
    queuedBytes -= piece.length;
    if (!writeNow(outgoing, piece)) blockedSince = Date.now();
    else goOn();
  }

  function goOn(): void {
    if (queue.length === 0) return releaseDrained();
    if (isWaitingForTurn) return;
    isWaitingForTurn = true;
    void timeSlices.run(writeInTurn());
  }

  function* writeInTurn(): Iterable<void> {
    isWaitingForTurn = false;
    writePiece();
    yield;
  }

  return {
    get isOpen() {
      return isOpen && !isEnding;
    },
    send,
    drained() {
      if (!isOpen || (blockedSince === undefined && queue.length === 0)) return Promise.resolve();
      return new Promise((resolve) => {
        drainListeners.push(resolve);
      });
    },
    get waitingBytes() {
      return waitingBytes();
    },
    // A client with data to read needs no keep-alive.
    beat() {
      if (blockedSince === undefined) send(HEARTBEAT);
    },
    checkStall(now, maxStallMs) {
      const isStalled = isOpen && blockedSince !== undefined && now - blockedSince >= maxStallMs;
      if (isStalled) drop("stalled");
      return isStalled;
    },
    letGo: () => drop("backlog"),
    end(bytes) {
      if (!isOpen || isEnding) return;
      isEnding = true;
      // What has begun has to end, or what comes last would be taken for a part of it.
      for (const frame of queue.splice(0)) outgoing.write(frame);
      queuedBytes = 0;
      outgoing.end(bytes);
      // A client that does not read it is disconnected in the end.
      blockedSince ??= Date.now();
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

/** Node would buffer everything written in a turn and flush it afterwards for all clients, which takes an unpredictable time. */
function writeNow(outgoing: ServerResponse, bytes: Buffer): boolean {
  const { socket } = outgoing;
  socket?.cork();
  const hasRoom = outgoing.write(bytes);
  socket?.uncork();
  return hasRoom;
}
