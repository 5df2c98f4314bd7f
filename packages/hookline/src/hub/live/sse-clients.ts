import type { ServerResponse } from "node:http";
import { createReadQueue, type ReadQueue } from "./read-queue.js";
import { createSseClient, type DropReason, type SseClient, type SseLimits } from "./sse-client.js";
import { byeFrame } from "./sse-frames.js";
import { timeSlices } from "./time-slices.js";

export interface SseOptions extends Partial<SseLimits> {
  /** How long a client may take nothing while something waits for it. */
  readonly maxStallMs?: number;
  readonly heartbeatMs?: number;
}

/** All clients that watch over HTTP. */
export interface SseClients {
  open(outgoing: ServerResponse): SseClient;
  /** What streams that resume read from the store. */
  readonly replays: ReadQueue;
  readonly counters: { readonly clients: number; readonly opened: number; readonly dropped: { readonly [reason in DropReason]: number } };
  /** Ends all streams, with this as the last word. */
  end(frame: ReturnType<typeof byeFrame>): void;
  /** Says goodbye to all. */
  close(reason: "stopping" | "replaced"): void;
}

const MAX_BACKLOG_BYTES = 1024 * 1024;
const MAX_STALL_MS = 10_000;
/** When this much waits for all together, nothing is read for those that resume, and who does not read is let go sooner. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024;
const SHORT_STALL_MS = 1_000;
const HEARTBEAT_MS = 15_000;

export function createSseClients(options: SseOptions = {}): SseClients {
  const { maxBacklogBytes = MAX_BACKLOG_BYTES, maxStallMs = MAX_STALL_MS, heartbeatMs = HEARTBEAT_MS } = options;
  const clients = new Set<SseClient>();
  const dropped: Record<DropReason, number> = { backlog: 0, stalled: 0 };
  let opened = 0;
  let timers: NodeJS.Timeout[] = [];

  function watchOver(): void {
    if (timers.length > 0) return;
    const beat = setInterval(() => each((client) => client.beat()), heartbeatMs);
    const sweep = setInterval(() => letStalledGo(maxStallMs), Math.max(10, maxStallMs / 10));
    timers = [beat.unref(), sweep.unref()];
  }

  function each(act: (client: SseClient) => void): void {
    for (const client of [...clients]) act(client);
  }

  function end(frame: ReturnType<typeof byeFrame>): void {
    each((client) => client.end(frame));
  }

  function hasRoom(): boolean {
    if (waitingBytes(clients) <= MAX_WAITING_BYTES) return true;
    letStalledGo(Math.min(maxStallMs, SHORT_STALL_MS));
    return false;
  }

  function letStalledGo(afterMs: number): void {
    void timeSlices.run(dropStalled([...clients], afterMs));
  }

  function forget(client: SseClient): void {
    clients.delete(client);
    if (clients.size > 0) return;
    for (const timer of timers) clearInterval(timer);
    timers = [];
  }

  return {
    replays: createReadQueue(hasRoom),
    open(outgoing) {
      const client = createSseClient(outgoing, { maxBacklogBytes }, (reason) => dropped[reason]++);
      clients.add(client);
      opened++;
      watchOver();
      client.onClose(() => forget(client));
      return client;
    },
    counters: {
      get clients() {
        return clients.size;
      },
      get opened() {
        return opened;
      },
      dropped,
    },
    end,
    close: (reason) => end(byeFrame({ reason })),
  };
}

function waitingBytes(clients: Iterable<SseClient>): number {
  let bytes = 0;
  for (const client of clients) bytes += client.waitingBytes;
  return bytes;
}

/** One at a time: what the system holds for a client is freed with it, and that takes its time. */
function* dropStalled(clients: readonly SseClient[], afterMs: number): Iterable<void> {
  for (const client of clients) if (client.checkStall(Date.now(), afterMs)) yield;
}
